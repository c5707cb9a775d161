#!/bin/bash
export MASTER_ADDR=localhost MASTER_PORT=29511
python monitor.py &
torchrun --nproc_per_node=2 --master_port=$MASTER_PORT train.py
