#!/bin/bash
CUDA_VISIBLE_DEVICES=0,1 accelerate launch --multi_gpu --num_processes 2 a.py &
CUDA_VISIBLE_DEVICES=2,3 accelerate launch --multi_gpu --num_processes 2 b.py &
wait
