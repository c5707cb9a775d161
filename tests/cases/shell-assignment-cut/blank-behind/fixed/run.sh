#!/bin/bash
MASTER_ADDR=10.0.0.1
export MASTER_PORT="29501"
CUDA_VISIBLE_DEVICES=0,1,2,3
NCCL_SOCKET_IFNAME=eth0 # the fast one
NCCL_DEBUG= hostname
NCCL_DEBUG= "./check me"
torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=4 --master_addr=$MASTER_ADDR --master_port=$MASTER_PORT train.py
