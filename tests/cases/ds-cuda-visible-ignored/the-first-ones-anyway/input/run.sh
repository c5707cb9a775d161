#!/bin/bash
CUDA_VISIBLE_DEVICES=0,1 deepspeed --num_gpus 2 train.py
export CUDA_VISIBLE_DEVICES=2,3
torchrun --standalone --nproc_per_node 2 train.py
