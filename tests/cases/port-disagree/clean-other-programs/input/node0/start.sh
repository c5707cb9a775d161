#!/bin/bash
torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=10.20.0.0 --master_port=25610 part0.py
