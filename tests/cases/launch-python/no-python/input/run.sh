#!/bin/bash
accelerate launch --num_processes 8 --no_python python train.py
torchrun --standalone --nproc_per_node=8 --no-python python3 train.py
