#!/bin/bash
ARGS=(
    --layers=32 \
    # --heads=16 \
    --heads=32
)
torchrun --nproc_per_node 8 train.py "${ARGS[@]}"
