#!/bin/bash
torchrun --standalone --rdzv_backend=c10d --nproc_per_node=8 train.py
