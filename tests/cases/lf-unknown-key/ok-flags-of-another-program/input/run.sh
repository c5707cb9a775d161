#!/bin/bash
torchrun --standalone --nproc_per_node 4 src/train.py --model_name_or_path x --template y --foo 1
