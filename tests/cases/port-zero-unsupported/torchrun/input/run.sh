#!/bin/bash
torchrun --nproc_per_node=8 --nnodes=1 --master_port=0 train.py
