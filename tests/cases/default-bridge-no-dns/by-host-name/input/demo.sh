#!/bin/bash
docker run -d --hostname head --shm-size 8g --gpus 1 train:1 torchrun --nnodes=2 --node_rank=0 --master_addr=head --master_port=29500 train.py
docker run -d --hostname w1 --shm-size 8g --gpus 1 train:1 torchrun --nnodes=2 --node_rank=1 --master_addr=head --master_port=29500 train.py
