#!/bin/bash
torchrun --standalone --nproc_per_nod=8 --nproc-per-node 8 train.py
torchrun --standalone --nproc_per_node=8 train.py
