#!/bin/bash
MASTER_PORT=29500 MASTER_ADDR=localhost torchrun --nproc_per_node=8 train.py
PET_MASTER_PORT=${PORT:-29777} torchrun --nproc_per_node=8 train.py
