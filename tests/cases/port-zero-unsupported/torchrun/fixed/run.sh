#!/bin/bash
torchrun --standalone --nproc_per_node=8 --nnodes=1 train.py
