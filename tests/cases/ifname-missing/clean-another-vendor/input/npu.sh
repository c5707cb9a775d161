#!/bin/bash
export HCCL_CONNECT_TIMEOUT=3600
torchrun --nnodes 2 --node_rank $NODE_RANK --nproc_per_node 16 --master_addr 10.0.0.1 --master_port 6000 \
    train.py --distributed-backend nccl
