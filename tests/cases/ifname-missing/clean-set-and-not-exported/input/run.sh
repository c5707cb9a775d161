#!/bin/bash
NCCL_SOCKET_IFNAME=ens3
torchrun --nnodes 2 --node_rank $1 --nproc_per_node 8 --master_addr 10.3.0.1 --master_port 25400 train.py
