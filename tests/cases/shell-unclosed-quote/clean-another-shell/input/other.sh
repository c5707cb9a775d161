#!/usr/bin/env tcsh
set name = it\'s
torchrun --standalone --nproc_per_node=2 train.py --prompt "$name"
