#!/bin/bash
singularity exec --nv train.sif OMP_NUM_THREADS=8 torchrun --standalone --nproc_per_node=2 train.py
