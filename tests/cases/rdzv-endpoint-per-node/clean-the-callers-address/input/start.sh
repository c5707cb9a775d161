#!/bin/bash
# local expansion in double quotes: one value for every host
export NCCL_SOCKET_IFNAME=eth0
i=0
for host in node1 node2; do
  ssh $host "NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --nproc_per_node=8 --node_rank=$i --master_addr $(hostname -I | awk '{print $1}') --master_port 29400 train.py" &
  i=$((i+1))
done
wait
