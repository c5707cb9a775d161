#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
export FORCE_TORCHRUN=1
export NNODES=4
export NODE_RANK=$1
export MASTER_ADDR=10.2.0.4
llamafactory-cli train full.yaml
