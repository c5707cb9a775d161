#!/bin/bash
docker run --rm --gpus all --ipc=host train:1 \
    env CUDA_VISIBLE_DEVICES=0,1 torchrun --standalone --nproc_per_node=2 train.py
