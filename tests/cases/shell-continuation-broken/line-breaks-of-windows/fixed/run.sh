#!/bin/bash
torchrun --standalone --nproc_per_node 2 train.py \
    --task first \
    --lr 1e-4
