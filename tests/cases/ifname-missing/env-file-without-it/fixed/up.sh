#!/bin/bash
docker run -e NCCL_SOCKET_IFNAME=^lo,docker,br-,veth,virbr,cni,flannel,cali,tailscale,wg --rm --gpus all --network host --ipc host --env-file train.env -e NODE_RANK="$1" train:1 bash -c 'torchrun --nnodes=2 --node_rank=$NODE_RANK --nproc_per_node=8 --master_addr=$MASTER_ADDR --master_port=29500 train.py'
