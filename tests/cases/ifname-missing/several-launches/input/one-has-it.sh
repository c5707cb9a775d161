#!/bin/bash
torchrun --nnodes=2 --node_rank=$1 --master_addr=10.2.0.4 a.py
NCCL_SOCKET_IFNAME=eth1 torchrun --nnodes=2 --node_rank=$1 --master_addr=10.2.0.4 b.py
ssh login 'torchrun --nnodes=2 --node_rank=1 --master_addr=10.2.0.4 c.py'
