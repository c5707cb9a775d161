#!/bin/bash
torchrun --standalone --nnodes=$NNODES --nproc_per_node=8 train.py
