#!/bin/bash
ssh node2 NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=9 --rdzv_endpoint $(hostname):29400 train.py
