#!/bin/bash
torchrun --standalone --master_port=29511 --nproc_per_node=8 train.py
