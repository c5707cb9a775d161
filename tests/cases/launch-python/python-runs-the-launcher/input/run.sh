#!/bin/bash
python -m torch.distributed.run --standalone --nproc_per_node=8 train.py
python -m accelerate.commands.launch --num_processes 8 train.py
