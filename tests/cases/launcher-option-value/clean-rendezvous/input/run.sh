#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
torchrun --nnodes=2 --nproc_per_node=4 --rdzv_id=7 --rdzv_backend=etcd-v2 --rdzv_conf "timeout=60, join_timeout=300" --rdzv_endpoint=node1:2390 train.py
torchrun --nnodes=2 --nproc_per_node=4 --rdzv_id=7 --rdzv_backend=ourstore --rdzv_endpoint=node1:29400 train.py
torchrun --nnodes=2 --nproc_per_node=4 --rdzv_id=7 --rdzv_backend=c10d --rdzv_conf "is_host=$HOSTS" --rdzv_endpoint=node1:29400 train.py
torchrun --standalone --nproc_per_node=4 --rdzv_backend=nccl train.py
