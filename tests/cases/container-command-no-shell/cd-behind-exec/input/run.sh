#!/bin/bash
docker exec trainer cd /workspace && torchrun --standalone --nproc_per_node=2 train.py
