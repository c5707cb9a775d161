#!/bin/bash
for host in node1 node2; do
    ssh $host "NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=node1 --master_port=29500 train.py" &
done
wait
