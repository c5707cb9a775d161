#!/bin/bash
source net.env.sh
torchrun --nproc_per_node 2 first.py
