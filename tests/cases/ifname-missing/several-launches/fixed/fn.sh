#!/bin/bash
export NCCL_SOCKET_IFNAME=^lo,docker,br-,veth,virbr,cni,flannel,cali,tailscale,wg
train() {
  torchrun --nnodes=2 --node_rank=$1 --master_addr=10.2.0.4 a.py
}
train 0
torchrun --nnodes=2 --node_rank=$1 --master_addr=10.2.0.4 c.py
