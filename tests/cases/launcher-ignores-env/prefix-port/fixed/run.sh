#!/bin/bash
torchrun --master_port=29777 --nproc_per_node=8 --nnodes=1 train.py
