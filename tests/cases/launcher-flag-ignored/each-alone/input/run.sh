#!/bin/bash
torchrun --standalone --nproc_per_node=8 train.py
torchrun --nnodes=1 --rdzv_backend=c10d --rdzv_endpoint=localhost:0 --nproc_per_node=8 train.py
