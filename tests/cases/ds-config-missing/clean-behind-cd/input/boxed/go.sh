#!/bin/bash
cd docker
docker run --rm --gpus all --shm-size 8g img torchrun --standalone --nproc_per_node 2 tune.py --deepspeed conf/z2.json
