#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
export PET_NNODES=4
torchrun --standalone --nproc_per_node=8 train.py
