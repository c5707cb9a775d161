#!/bin/bash
docker run --shm-size=16gb -d --name trainer --gpus all -v "$PWD:/work" registry.local/train:1 sleep infinity
docker exec -w /work trainer torchrun --standalone --nproc_per_node=8 train.py
docker exec other torchrun --standalone --nproc_per_node=8 train.py
