#!/bin/bash
CUDA_VISIBLE_DEVICES=0,1 deepspeed --include localhost:0,1 train.py
CUDA_VISIBLE_DEVICES=2,3 deepspeed --include=localhost:2,3 --master_port ${MASTER_PORT:-21901} train.py
export CUDA_VISIBLE_DEVICES=0,1,2,3
deepspeed --num_nodes=1 --num_gpus=4 train.py
