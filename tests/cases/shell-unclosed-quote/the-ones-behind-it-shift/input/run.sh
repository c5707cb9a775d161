#!/bin/bash
export MASTER_PORT="29500
torchrun --standalone --nproc_per_node=2 train.py --name "a"
echo done
