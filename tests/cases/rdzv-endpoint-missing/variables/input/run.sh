#!/bin/bash
export NCCL_SOCKET_IFNAME=eno1
torchrun --nnodes 2 --nproc_per_node 8 --rdzv_backend c10d --rdzv_id 7 \
    --master_addr $MASTER_ADDR \
    --master_port ${MASTER_PORT:-29501} \
    train.py
torchrun --nnodes 2 --nproc_per_node 8 --rdzv_backend c10d --rdzv_id 7 --master_addr "$HEAD" train.py
