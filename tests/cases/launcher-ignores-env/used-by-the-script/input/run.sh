#!/bin/bash
export MASTER_PORT=29777
export MASTER_ADDR=localhost
torchrun --nproc_per_node=8 --nnodes=1 --master_port=$MASTER_PORT train.py
