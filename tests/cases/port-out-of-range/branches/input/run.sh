#!/bin/bash
if [ "$1" = debug ]; then
  PORT=294000
else
  PORT=29400
fi
torchrun --nproc_per_node 8 --master_port "$PORT" train.py
