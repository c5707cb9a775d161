#!/bin/bash
export FORCE_TORCHRUN=1 NNODES=2 MASTER_ADDR=10.40.0.9 MASTER_PORT=25003
export NCCL_SOCKET_IFNAME=eth0
export NODE_RANK=0
llamafactory-cli train sft.yaml
