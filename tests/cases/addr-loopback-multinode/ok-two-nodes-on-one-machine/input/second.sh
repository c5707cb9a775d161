#!/bin/bash
export ASCEND_RT_VISIBLE_DEVICES=4,5
MASTER_ADDR=localhost
MASTER_PORT=16034
NNODES=2
NODE_RANK=1
torchrun --nproc_per_node 2 --nnodes $NNODES --node_rank $NODE_RANK \
    --master_addr $MASTER_ADDR --master_port $MASTER_PORT train.py
