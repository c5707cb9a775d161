#!/bin/bash
torchrun --standalone --node_rank=0 --nproc_per_node=8 train.py
