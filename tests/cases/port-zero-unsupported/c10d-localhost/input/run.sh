#!/bin/bash
torchrun --nproc_per_node=8 --nnodes=1 --rdzv_backend=c10d --rdzv_endpoint=localhost:0 train.py
