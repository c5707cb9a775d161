#!/bin/bash
docker run --rm --gpus all --ipc host --ulimit stack=67108864 --device /dev/infiniband train:1 torchrun --standalone --nproc_per_node=8 train.py
