#!/bin/bash
export CUDA_VISIBLE_DEVICES=0
accelerate launch --num_processes 2 --main_process_port 0 train.py
