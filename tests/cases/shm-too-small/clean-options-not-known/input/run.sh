#!/bin/bash
docker run --gpus all --use-api-socket --ipc=host train:1 torchrun --standalone --nproc_per_node=8 train.py
docker run --gpus all --of-a-newer-docker --ipc=host train:1 torchrun --standalone --nproc_per_node=8 train.py
docker run --gpus all --of-a-newer-docker value train:1 torchrun --standalone --nproc_per_node=8 train.py
