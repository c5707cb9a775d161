#!/bin/bash
docker run --rm --gpus all --ipc=host train:1 source /opt/venv/bin/activate && torchrun --standalone --nproc_per_node=2 train.py
