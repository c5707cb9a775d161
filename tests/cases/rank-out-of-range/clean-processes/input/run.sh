#!/bin/bash
export MASTER_ADDR=127.0.0.1 MASTER_PORT=29511 WORLD_SIZE=2
RANK=0 python train.py &
RANK=1 python train.py &
wait
WORLD_SIZE=${WORLD:-2} RANK=3 python train.py
WORLD_SIZE=2 RANK=$1 python train.py
WORLD_SIZE=1 RANK=1 torchrun --standalone --nproc_per_node=2 train.py
