#!/bin/bash
deepspeed --include localhost:2,3 train.py
deepspeed --num_nodes 1 --num_gpus 2 train.py
accelerate launch --multi_gpu --num_processes 8 train.py
