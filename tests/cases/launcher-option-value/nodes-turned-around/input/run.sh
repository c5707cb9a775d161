#!/bin/bash
torchrun --nnodes=4:2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=1 --rdzv_endpoint=n1:29400 train.py
