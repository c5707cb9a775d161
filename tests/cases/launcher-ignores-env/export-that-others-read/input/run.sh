#!/bin/bash
export MASTER_PORT=25400
torchrun --nproc_per_node=8 train.py
python score.py
