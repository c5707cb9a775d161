#!/bin/bash
torchrun --nnodes=1 --rdzv_backend=c10d --rdzv_endpoint=localhost:0 --master_addr 127.0.0.1 --nproc_per_node=8 train.py
