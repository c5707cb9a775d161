#!/bin/bash
for i in 0 1; do
  ssh node$i bash -s <<EOF
cd /work
export NCCL_SOCKET_IFNAME=eth0
torchrun --nnodes 2 --nproc_per_node 8 --node_rank $i --master_addr node0 --master_port 29500 train.py
EOF
done
