#!/bin/bash
CUDA_VISIBLE_DEVICES=0,1 nohup torchrun --standalone --nproc_per_node=2 train.py > log 2>&1 &
wait
nohup env CUDA_VISIBLE_DEVICES=0,1 torchrun --standalone --nproc_per_node=2 train.py > log 2>&1
time OMP_NUM_THREADS=8 torchrun --standalone --nproc_per_node=2 train.py
sudo OMP_NUM_THREADS=8 torchrun --standalone --nproc_per_node=2 train.py
