#!/bin/bash
ENVS=(NCCL_DEBUG=INFO CUDA_VISIBLE_DEVICES=0,1)
"${ENVS[@]}" torchrun --standalone --nproc_per_node=2 train.py
