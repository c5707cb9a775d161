#!/bin/bash
export NCCL_SOCKET_IFNAME=eno1
torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=7 --master_addr=10.0.0.1 --master_port=29501 train.py
