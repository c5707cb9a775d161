#!/bin/bash
set -e
torchrun --nproc_per_node="${1:-4}" --master_port="$PORT" train.py
