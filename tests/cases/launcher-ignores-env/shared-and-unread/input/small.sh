#!/bin/bash
source common.sh
torchrun --nproc_per_node 2 small.py
