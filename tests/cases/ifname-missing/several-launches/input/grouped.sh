#!/bin/bash
# two turns
set -e
for lr in 1 2; do
    cd /data && torchrun --nnodes=2 --node_rank=$1 --master_addr=10.2.0.4 a.py
    torchrun --nnodes=2 --node_rank=$1 --master_addr=10.2.0.4 b.py --lr $lr
done
