#!/bin/bash
export NCCL_SOCKET_IFNAME=bond0
torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 \
    --master_addr=xx.41.7.xx --master_port=29500 train.py
