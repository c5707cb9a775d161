#!/bin/bash
torchrun --nnodes=2 --node_rank=$1 --master_addr=10.2.0.4 a.py
torchrun --nnodes=2 --node_rank=$1 --master_addr=10.2.0.4 b.py
torchrun --nnodes=2 --node_rank=$1 --master_addr=10.2.0.4 c.py
