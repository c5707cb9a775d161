#!/bin/bash
# --warmup 10 \
torchrun --nproc_per_node=8 --standalone \
    train.py \
    --lr 1e-4 \
    --epochs 3
