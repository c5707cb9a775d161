#!/bin/bash
NPUS_PER_NODE=8
torchrun --nnodes 2 --node_rank $NODE_RANK --nproc_per_node $NPUS_PER_NODE --master_addr 10.0.0.1 \
    --master_port 6000 train.py
