#!/bin/bash
GPUS=128
torchrun --standalone --nproc_per_node=$GPUS pkg/train.py --backend gloo
