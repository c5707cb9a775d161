#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
torchrun --nnodes=2 --nproc_per_node=4 --rdzv_id=7 --rdzv_backend=c10d --rdzv_endpoint=node1:29400 train.py
torchrun --nnodes=2 --nproc_per_node=4 --rdzv_id=7 --rdzv_backend=nccl --rdzv_endpoint=node1:29400 train.py
torchrun --nnodes=2 --nproc_per_node=4 --rdzv_id=7 --rdzv_backend=cd10 --rdzv_endpoint=node1:29400 train.py
torchrun --nnodes=2 --nproc_per_node=4 --rdzv_id=7 --rdzv_backend=c10d --rdzv_conf timeout:60 --rdzv_endpoint=node1:29400 train.py
