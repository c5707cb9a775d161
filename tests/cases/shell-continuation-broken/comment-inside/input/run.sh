#!/bin/bash
torchrun --nproc_per_node=8 --standalone \
    train.py \
    --lr 1e-4 \
    # --warmup 10 \
    --epochs 3
