#!/bin/bash
export NCCL_SOCKET_IFNAME=eno1
if true; then
    # the first machine
    # eight each
    python -m torch.distributed.launch \
        --nnodes=2 --node_rank=$1 \
        --master_addr=10.4.0.1 \
        --master_port=23456 \
        --nproc_per_node=8 \
        train.py
fi
