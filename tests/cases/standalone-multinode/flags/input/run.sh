#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
torchrun --standalone --nnodes=2 --nproc_per_node=8 train.py
