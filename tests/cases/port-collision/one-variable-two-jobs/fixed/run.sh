#!/bin/bash
export MASTER_PORT=${MASTER_PORT:-29500}
CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node 2 --master_port $MASTER_PORT a.py &
CUDA_VISIBLE_DEVICES=2,3 torchrun --nproc_per_node 2 --master_port $((MASTER_PORT + 1)) b.py &
wait
