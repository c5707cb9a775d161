#!/bin/bash
export MASTER_PORT=25000
if [ "$N" = 1 ]; then
  torchrun --nproc_per_node 1 a.py
else
  torchrun --nproc_per_node 2 a.py
fi
