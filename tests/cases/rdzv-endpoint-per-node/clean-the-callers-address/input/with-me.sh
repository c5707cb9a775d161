#!/bin/bash
MASTER=$(hostname -I | awk '{print $1}')
for host in node1 node2; do
  ssh $host "NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=3 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=9 --rdzv_endpoint $MASTER:29400 train.py" &
done
NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=3 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=9 --rdzv_endpoint $MASTER:29400 train.py
