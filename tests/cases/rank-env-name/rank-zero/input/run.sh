#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
export RANK=0
FORCE_TORCHRUN=1 NNODES=2 MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 llamafactory-cli train /c/full.yaml
