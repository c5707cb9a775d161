#!/bin/bash
torchrun --nproc_per_node=8 --standalone -m llamafactory.launcher /c/full.yaml
accelerate launch --num_processes 8 src/train.py /c/full.yaml
