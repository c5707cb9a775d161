#!/bin/bash
# two turns
set -e
for lr in 1 2; do
    export NCCL_SOCKET_IFNAME=^lo,docker,br-,veth,virbr,cni,flannel,cali,tailscale,wg
    cd /data && torchrun --nnodes=2 --node_rank=$1 --master_addr=10.2.0.4 a.py
    torchrun --nnodes=2 --node_rank=$1 --master_addr=10.2.0.4 b.py --lr $lr
done
