#!/bin/bash
i=0
for host in node1 node2; do
  ssh $host 'NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=9 --rdzv_endpoint $(hostname -I | cut -d" " -f1):29400 train.py' &
done
wait
