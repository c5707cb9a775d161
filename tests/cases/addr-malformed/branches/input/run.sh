#!/bin/bash
export NCCL_SOCKET_IFNAME=ib0
if [ "$CLUSTER" = a ]; then
  HEAD=http://10.1.0.4
else
  HEAD=10.2.0.4
fi
torchrun --nnodes 2 --nproc_per_node 8 --node_rank "$RANK" --master_addr "$HEAD" --master_port 29400 train.py
