#!/bin/bash
train() { torchrun --master_port 25000 --nproc_per_node 2 a.py $1; }
train 1
train 2
