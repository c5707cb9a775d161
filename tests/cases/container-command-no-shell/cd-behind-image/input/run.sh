#!/bin/bash
docker run --rm --gpus all --ipc=host train:1 cd /app && torchrun --standalone --nproc_per_node=2 train.py
