#!/bin/bash
accelerate launch --num_processes 8 --main_process_prot ${PORT:-29500} train.py
deepspeed --nproc_per_node=8 train.py
