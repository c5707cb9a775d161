#!/bin/bash
MASTER_PORT=${MASTER_PORT:-29500}
NNODES=1
NCCL_DEBUG=WARN
GPUS=8
torchrun --nnodes=$NNODES --nproc_per_node=$GPUS --master_port=$MASTER_PORT train.py --debug $NCCL_DEBUG
