#!/bin/bash
torchrun --standalone --nproc_per_node=8 \
  train.py --batch 8 \
  --logdir="/data/log"\ --lr=1e-4 \ --wd 0.1 \
  --epochs 3
