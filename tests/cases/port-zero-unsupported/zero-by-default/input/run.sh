#!/bin/bash
PORT=${PORT:-0}
torchrun --nproc_per_node=4 --master_port=$PORT train.py
