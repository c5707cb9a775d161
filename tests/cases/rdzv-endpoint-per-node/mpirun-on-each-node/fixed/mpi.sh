#!/bin/bash
export NCCL_SOCKET_IFNAME=eno1
mpirun -np 2 -N 1 -H n1,n2 -x NCCL_SOCKET_IFNAME bash -c 'torchrun --nnodes=2 --node_rank=$OMPI_COMM_WORLD_RANK --nproc_per_node=8 --master_addr="${MASTER_ADDR:?}" --master_port=29501 train.py'
