#!/bin/bash
TEXT="usage: run.sh \ # of this host
    --epochs 3 \
    # nothing more
    --layers 2"
torchrun --nproc_per_node 8 train.py --note "$TEXT"
