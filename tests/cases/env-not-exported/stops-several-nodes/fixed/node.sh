#!/bin/bash
export FORCE_TORCHRUN=1 NNODES=2
export NCCL_SOCKET_IFNAME=eth0
export NODE_RANK=$1
export MASTER_ADDR=10.40.0.5
export MASTER_PORT=25000
llamafactory-cli train sft.yaml
