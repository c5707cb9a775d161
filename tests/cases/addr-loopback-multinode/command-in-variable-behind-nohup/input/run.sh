#!/bin/bash
CMD="torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=127.0.0.1 --master_port=29500 train.py"
nohup $CMD > log 2>&1 &
