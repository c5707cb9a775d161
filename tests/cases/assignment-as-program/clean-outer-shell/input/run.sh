#!/bin/bash
E="OMP_NUM_THREADS=4"
bash -c "$E torchrun --standalone --nproc_per_node=2 train.py"
