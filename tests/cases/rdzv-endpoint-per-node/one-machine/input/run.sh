#!/bin/bash
torchrun --nnodes=1 --nproc_per_node=8 --master_addr $(hostname -i) --master_port ${PORT:-29500} train.py
