#!/bin/bash
if [ "$N" = 1 ]; then
  torchrun --master_port 25000 --nproc_per_node 1 a.py
else
  torchrun --master_port 25000 --nproc_per_node 2 a.py
fi
