#!/bin/bash
start() {
  local host=$1 rank=$2
  ssh "$host" "cd /work && NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes 2 --nproc_per_node 8 --node_rank $rank --master_addr gpu0 --master_port 29400 train.py" &
}
start gpu0 0
start gpu1 0
wait
