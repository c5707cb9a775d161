#!/bin/bash
PORT=$(( RANDOM % (29999 - 20000 + 1) + 20000 ))
torchrun --nproc_per_node 4 --master_port $PORT train.py
