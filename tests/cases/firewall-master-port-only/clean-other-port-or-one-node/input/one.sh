#!/bin/bash
torchrun --nproc_per_node=8 --master_port=29501 train.py
