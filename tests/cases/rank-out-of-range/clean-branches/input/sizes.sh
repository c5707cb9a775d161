#!/bin/bash
if [ "$BIG" = 1 ]; then NODES=4; RANK=3; else NODES=2; RANK=1; fi
torchrun --nnodes $NODES --nproc_per_node 8 --node_rank $RANK --master_addr gpu01 --master_port 29511 train.py
