#!/bin/bash
PORTS=(29500 66000)
for port in "${PORTS[@]}"; do
  torchrun --nproc_per_node 2 --master_port $port train.py
done
