#!/bin/bash
accelerate launch --multi_gpu --num_processes 3 --gpu_ids 0,1, 2 train.py
torchrun --standalone --nproc_per_node 4 2 train.py
