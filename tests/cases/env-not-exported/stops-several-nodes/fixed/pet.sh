#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
export PET_MASTER_ADDR=10.40.0.6
export PET_NODE_RANK=$1
torchrun --nnodes=2 --nproc_per_node=8 train.py
