#!/bin/bash
ENVS="NCCL_DEBUG=WARN OMP_NUM_THREADS=8"
CMD="$ENVS torchrun --standalone --nproc_per_node=2 train.py"
timeout 3600 $CMD
