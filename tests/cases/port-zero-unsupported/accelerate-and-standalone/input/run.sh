#!/bin/bash
accelerate launch --num_machines 1 --num_processes 8 --multi_gpu --main_process_port 0 train.py
torchrun --standalone --master_port=0 --nproc_per_node=8 train.py
