#!/bin/bash
torchrun --standalone --nproc_per_node=4 --no_python accelerate launch train.py
