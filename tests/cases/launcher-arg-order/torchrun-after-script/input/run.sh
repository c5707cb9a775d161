#!/bin/bash
torchrun train.py --nproc_per_node=8 --lr 1e-4
