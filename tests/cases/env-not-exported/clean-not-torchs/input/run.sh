#!/bin/bash
NODE_RANK=0
NNODES=4
export MASTER_ADDR=10.0.0.5
export MASTER_PORT=${MASTER_PORT:-21902}
export WORLD_SIZE=4
python train.py
