#!/bin/bash
llamafactory-cli train train.yaml lora_rank=16 deepspeed=null
torchrun --nproc_per_node 8 src/train.py train.yaml max_steps=3
