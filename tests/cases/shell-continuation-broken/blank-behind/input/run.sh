#!/bin/bash
export NCCL_SOCKET_IFNAME=eno1
deepspeed --num_nodes 2 \
    --master_addr 10.77.0.2 \
    --hostfile hostfile \ 
    src/train.py \
    --output_dir out
