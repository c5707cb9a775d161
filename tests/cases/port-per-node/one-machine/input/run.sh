#!/bin/bash
PORT=$((20000 + RANDOM % 1000))
torchrun --nnodes=1 --nproc_per_node=8 --master_port=$PORT train.py
