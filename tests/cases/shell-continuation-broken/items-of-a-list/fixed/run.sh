#!/bin/bash
ARGS=(
    --layers=32 # 7b: 32
    --heads=32 \
    --epochs=1
)
torchrun --nproc_per_node 8 train.py "${ARGS[@]}"
