#!/bin/bash
set -e
docker network inspect trainnet >/dev/null 2>&1 || docker network create trainnet
docker run --network=trainnet -d --name head --shm-size 8g --gpus 1 -e MASTER_ADDR=head -e MASTER_PORT=12356 -e WORLD_SIZE=2 -e RANK=0 train:1 \
    python train.py
docker run --network=trainnet -d --name worker --shm-size 8g --gpus 1 -e MASTER_ADDR=head -e MASTER_PORT=12356 -e WORLD_SIZE=2 -e RANK=1 train:1 \
    python train.py
