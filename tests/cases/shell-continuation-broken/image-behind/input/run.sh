#!/bin/bash
docker run --rm --gpus all \
  --ipc=host \
  # --network host \
  registry.local/train:1 torchrun --standalone --nproc_per_node=8 train.py
docker run --rm --gpus all --ipc=host \ 
  "$IMAGE" torchrun --standalone --nproc_per_node=8 train.py
