#!/bin/bash
# --network host \
docker run --rm --gpus all \
  --ipc=host \
  registry.local/train:1 torchrun --standalone --nproc_per_node=8 train.py
docker run --rm --gpus all --ipc=host \
  "$IMAGE" torchrun --standalone --nproc_per_node=8 train.py
