#!/bin/bash
cd work/tuning
torchrun --standalone --nproc_per_node 2 tune.py --deepspeed ds.json --gradient_accumulation_steps 8 --output_dir out
