#!/bin/bash
torchrun --standalone --nproc_per_node=eight --max_restarts three train.py
