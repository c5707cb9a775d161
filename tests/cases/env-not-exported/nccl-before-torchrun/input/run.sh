#!/bin/bash
set -e
NCCL_SOCKET_IFNAME=eth0  # of the rack
CUDA_VISIBLE_DEVICES=0,1
torchrun --standalone --nproc_per_node=2 train.py
