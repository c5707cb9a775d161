#!/bin/bash
torchrun --standalone --nproc-per-node=8 --max-rest 3 train.py
accelerate launch --num-processes=8 --mixed-precision bf16 train.py
