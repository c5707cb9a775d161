#!/bin/bash
# the first try
torchrun --standalone --nproc_per_node=2 \
    train.py --epochs 3
