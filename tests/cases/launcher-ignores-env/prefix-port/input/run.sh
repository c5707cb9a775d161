#!/bin/bash
MASTER_PORT=29777 torchrun --nproc_per_node=8 --nnodes=1 train.py
