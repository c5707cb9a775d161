#!/bin/bash
docker run -d --name "$NAME" --gpus all --ipc=host registry.local/train:1 sleep infinity
docker exec "$NAME" torchrun --nnodes=2 --nproc_per_node=8 --node_rank=1 --master_addr=10.0.0.5 --master_port=29500 train.py
