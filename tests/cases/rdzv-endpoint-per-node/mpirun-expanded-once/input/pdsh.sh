#!/bin/bash
pdsh -w 'n[1-2]' "torchrun --nnodes=2 --node_rank=%n --nproc_per_node=8 --master_addr=$(hostname) --master_port=29501 train.py"
