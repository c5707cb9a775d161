#!/usr/bin/env bash
PORT=${PORT:-29500}
torchrun --nproc_per_node="$1" --master_port="$PORT" tools/train.py
