#!/bin/bash
torchrun --nproc_per_node=2 --master_port=29500 train.py a.yaml
torchrun --nproc_per_node=2 --master_port=29500 train.py b.yaml
