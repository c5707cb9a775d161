#!/bin/bash
if [ -n "$BIG" ]; then
  docker run -d --name trainer --gpus all --ipc=host registry.local/train:1 sleep infinity
else
  docker run -d --name trainer --gpus all registry.local/train:1 sleep infinity
fi
docker exec trainer torchrun --standalone --nproc_per_node=8 train.py
