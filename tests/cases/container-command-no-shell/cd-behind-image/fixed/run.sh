#!/bin/bash
docker run -w /app --rm --gpus all --ipc=host train:1 torchrun --standalone --nproc_per_node=2 train.py
