#!/bin/bash
cd tuning
torchrun --standalone --nproc_per_node 2 tune.py --deepspeed conf/zero-2.json --gradient_accumulation_steps 8 --output_dir out
