#!/bin/bash
#SBATCH --nodes=2
export NCCL_SOCKET_IFNAME=eth0
srun -N1 -n1 torchrun --nproc_per_node=4 --nnodes=2 --node_rank=0 main.py &
srun -N1 -n1 torchrun --nproc_per_node=4 --nnodes=2 --node_rank=1 main.py &
wait
