#!/bin/bash
if [ "$1" = 0 ]; then
  torchrun --nnodes=2 --node_rank=0 --master_addr=10.2.0.4 a.py
else
  torchrun --nnodes=2 --node_rank=1 --master_addr=10.2.0.4 a.py
fi
torchrun --nnodes=2 --node_rank=$1 --master_addr=10.2.0.4 c.py
