#!/bin/bash
docker run --rm --gpus all --network host --ipc host --env-file train.env train:1.4 torchrun --standalone --nproc_per_node=2 train.py
