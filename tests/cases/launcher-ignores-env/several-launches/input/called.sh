#!/bin/bash
export MASTER_PORT=25000
train() { torchrun --nproc_per_node 2 a.py $1; }
train 1
train 2
