#!/bin/bash
accelerate launch --num_processes 8 --main_process_port ${PORT:-29500} train.py
deepspeed --num_gpus=8 train.py
