#!/bin/bash
set -e
GPUS=4
torchrun --standalone --nproc_per_node=$GPUS
python tools/evaluate.py --all
