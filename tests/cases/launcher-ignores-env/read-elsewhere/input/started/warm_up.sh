#!/bin/bash
torchrun --nproc_per_node 2 warm_up.py
