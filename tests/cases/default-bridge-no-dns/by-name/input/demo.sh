#!/bin/bash
set -e
docker run -d --name head --shm-size 8g --gpus 1 -e MASTER_ADDR=head -e MASTER_PORT=12356 -e WORLD_SIZE=2 -e RANK=0 train:1 \
    python train.py
docker run -d --name worker --shm-size 8g --gpus 1 -e MASTER_ADDR=head -e MASTER_PORT=12356 -e WORLD_SIZE=2 -e RANK=1 train:1 \
    python train.py
