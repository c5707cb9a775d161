#!/bin/bash
export NCCL_SOCKET_IFNAME=eno1
torchrun --rdzv_endpoint $MASTER_ADDR:${MASTER_PORT:-29501} --nnodes 2 --nproc_per_node 8 --rdzv_backend c10d --rdzv_id 7 \
    train.py
torchrun --rdzv_endpoint $HEAD:29500 --nnodes 2 --nproc_per_node 8 --rdzv_backend c10d --rdzv_id 7 train.py
