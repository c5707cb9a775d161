#!/bin/bash
if [ "$1" = debug ]; then
  PORT=40000
elif [ "$1" = small ]; then
  PORT=29400
else
  PORT=50000
fi
torchrun --nproc_per_node 8 --master_port "$PORT" train.py
