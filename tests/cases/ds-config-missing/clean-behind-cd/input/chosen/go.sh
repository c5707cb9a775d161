#!/bin/bash
cd "$1"
torchrun --standalone --nproc_per_node 2 tune.py --deepspeed conf/z2.json --gradient_accumulation_steps 8 --output_dir out
