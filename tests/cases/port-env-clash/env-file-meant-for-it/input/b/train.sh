#!/bin/bash
torchrun --nproc_per_node=8 --master_port="${PORT:-29500}" train.py "$@"
