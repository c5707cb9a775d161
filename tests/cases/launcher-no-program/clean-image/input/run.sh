#!/bin/bash
docker run --gpus all --shm-size 8g trainer torchrun --standalone --nproc_per_node=4
