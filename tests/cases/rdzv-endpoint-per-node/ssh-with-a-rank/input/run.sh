#!/bin/bash
ssh node1 'NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --nproc_per_node=8 --node_rank=0 --master_addr $(hostname -I | awk "{print \$1}") --master_port 29400 train.py' &
ssh node2 'NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --nproc_per_node=8 --node_rank=1 --master_addr $(hostname -I | awk "{print \$1}") --master_port 29400 train.py' &
wait
