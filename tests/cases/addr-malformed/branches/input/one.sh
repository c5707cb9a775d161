#!/bin/bash
if [ "$1" = one ]; then
  HEAD=
else
  HEAD=10.2.0.4
fi
export NCCL_SOCKET_IFNAME=ib0
torchrun --nnodes "$2" --nproc_per_node 8 --node_rank "$RANK" --master_addr "$HEAD" --master_port 29400 train.py
