#!/bin/bash
ssh node1 "NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=node1 --master_port=29500 train.py" &
ssh node2 "NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 --master_addr=node1 --master_port=29500 train.py" &
wait
