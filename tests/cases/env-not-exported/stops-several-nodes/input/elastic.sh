#!/bin/bash
export FORCE_TORCHRUN=1 NNODES=2 RDZV_ID=sft MASTER_ADDR=10.40.0.7
export NCCL_SOCKET_IFNAME=eth0
MASTER_PORT=25001
llamafactory-cli train sft.yaml
