#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr "${MASTER_ADDR:?}" --master_port ${PORT:-29500} train.py
