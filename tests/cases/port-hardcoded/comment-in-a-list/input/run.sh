#!/bin/bash
ARGS=(
  --nnodes=1 # one
  --master_port=29511
)
torchrun "${ARGS[@]}" train.py --x
