#!/bin/bash
ENVS="NCCL_DEBUG=WARN OMP_NUM_THREADS=8"
$ENVS torchrun --standalone --nproc_per_node=2 train.py
