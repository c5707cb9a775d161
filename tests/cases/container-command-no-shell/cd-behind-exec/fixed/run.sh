#!/bin/bash
docker exec -w /workspace trainer torchrun --standalone --nproc_per_node=2 train.py
