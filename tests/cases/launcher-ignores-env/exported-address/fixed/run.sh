#!/bin/bash
export NCCL_SOCKET_IFNAME=eno1
torchrun --master_addr=10.0.0.1 --nnodes=2 --node_rank=$RANK --nproc_per_node=8 --master_port=${PORT:-29500} train.py
