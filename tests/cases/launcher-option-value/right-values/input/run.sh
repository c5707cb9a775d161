#!/bin/bash
torchrun --standalone --nproc_per_node=gpu --max_restarts 3 --monitor_interval .5 train.py
accelerate launch --num_processes 8 --mixed_precision bf16 --dynamo_backend no train.py
deepspeed --num_gpus -1 --launcher pdsh train.py
