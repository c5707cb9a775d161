#!/bin/bash
torchrun --standalone --nproc_per_node=8 --rdzv=c10d train.py
