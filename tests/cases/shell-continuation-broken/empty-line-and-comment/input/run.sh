#!/bin/bash
torchrun --standalone --nproc_per_node=2 \

    # the first try
    train.py --epochs 3
