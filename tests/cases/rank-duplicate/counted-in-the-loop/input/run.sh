#!/bin/bash
rank=0
for host in node1 node2; do
    ssh $host "NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --node_rank=$rank --nproc_per_node=8 --master_addr=node1 --master_port=29500 train.py" &
    rank=$((rank + 1))
done
wait
