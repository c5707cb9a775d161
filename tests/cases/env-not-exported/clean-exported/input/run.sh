#!/bin/bash
export NCCL_DEBUG=WARN
NCCL_P2P_LEVEL=NVL
export NCCL_P2P_LEVEL
set -a
NCCL_IB_TIMEOUT=22
set +a
NCCL_IB_HCA=mlx5_0 torchrun --standalone --nproc_per_node=2 train.py
