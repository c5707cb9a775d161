#!/bin/bash
CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node=2 --master_port=29500 train.py a.yaml &

CUDA_VISIBLE_DEVICES=2,3 torchrun --standalone --nproc_per_node=2 train.py b.yaml &
wait
