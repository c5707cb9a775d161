#!/bin/bash
set -e
export NCCL_SOCKET_IFNAME=eth0  # of the rack
export CUDA_VISIBLE_DEVICES=0,1
torchrun --standalone --nproc_per_node=2 train.py
