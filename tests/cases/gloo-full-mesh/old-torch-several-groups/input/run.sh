#!/bin/bash
torchrun --standalone --nproc_per_node=128 train.py
