#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr $(hostname -i) --master_port ${PORT:-29500} train.py
