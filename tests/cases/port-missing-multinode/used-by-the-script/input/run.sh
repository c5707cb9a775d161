#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0 NNODES=2 FORCE_TORCHRUN=1 NODE_RANK=$1 MASTER_ADDR=10.2.0.4
MASTER_PORT=25000
echo "on port $MASTER_PORT"
llamafactory-cli train sft.yaml
