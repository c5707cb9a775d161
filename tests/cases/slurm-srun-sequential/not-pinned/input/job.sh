#!/bin/bash
#SBATCH --nodes=2
export NCCL_SOCKET_IFNAME=eth0
srun torchrun --nproc_per_node=4 --nnodes=2 --node_rank=0 --master_addr=$HEAD --master_port=23456 main.py
srun torchrun --nproc_per_node=4 --nnodes=2 --node_rank=1 --master_addr=$HEAD --master_port=23456 main.py
