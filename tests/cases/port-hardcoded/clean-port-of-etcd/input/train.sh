#!/bin/bash
torchrun --nnodes=1 --nproc_per_node=8 --rdzv_id=$JOB --rdzv_backend=etcd-v2 \
    --rdzv_endpoint=etcd.cluster.internal:2379 train.py
