#!/bin/bash
torchrun --standalone --nproc_per_node=8 train.py
    --outdir=runs \
    --data=cifar.zip
    --cond=1 \
    --arch=ddpmpp
echo done
