#!/bin/bash
docker run --rm --ipc host --gpus '"device=5"' -e CUDA_VISIBLE_DEVICES=0 train:1 torchrun --standalone --nproc_per_node=1 train.py
