#!/bin/bash
docker run -d --name w1 --shm-size 8g --gpus 1 -e MASTER_ADDR=gpu01.cluster -e MASTER_PORT=12356 -e WORLD_SIZE=2 -e RANK=1 train:1 python train.py
