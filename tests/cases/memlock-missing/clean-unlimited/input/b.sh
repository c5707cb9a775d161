#!/bin/bash
docker run --rm --gpus all --ipc host --ulimit memlock=-1:-1 --device=/dev/infiniband train:1 torchrun --standalone --nproc_per_node=8 train.py
