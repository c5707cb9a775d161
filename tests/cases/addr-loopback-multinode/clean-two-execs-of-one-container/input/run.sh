#!/bin/bash
docker run -d --name box --gpus all --ipc=host registry.local/train:1 sleep infinity
docker exec -d box torchrun --nnodes=2 --node_rank=0 --nproc_per_node=1 --master_addr=localhost --master_port=25000 train.py
docker exec box torchrun --nnodes=2 --node_rank=1 --nproc_per_node=1 --master_addr=localhost --master_port=25000 train.py
