#!/bin/bash
torchrun --standalone --nproc_per_node=128 train.py
torchrun --standalone --nproc_per_node=96 sub.py
