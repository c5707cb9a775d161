#!/bin/bash
PORT=$(( RANDOM % (45000 - 30000 + 1) + 30000 ))
torchrun --nproc_per_node 4 --master_port $PORT train.py
