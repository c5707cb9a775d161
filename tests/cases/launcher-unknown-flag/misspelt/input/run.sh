#!/bin/bash
torchrun --standalone --nproc_per_nod=8 --nproc-per-gpu 8 train.py
torchrun --standalone --nproc_per_gpu=8 train.py
