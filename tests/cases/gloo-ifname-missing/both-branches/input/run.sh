#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
if [ $1 = 0 ]; then
  torchrun --nnodes=2 --node_rank=0 --master_addr=10.2.0.11 train.py --backend cpu:gloo,cuda:nccl
else
  torchrun --nnodes=2 --node_rank=1 --master_addr=10.2.0.11 train.py --backend cpu:gloo,cuda:nccl
fi
