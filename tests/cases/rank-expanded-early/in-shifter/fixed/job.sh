#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
export NCCL_SOCKET_IFNAME=hsn
srun shifter --image=site/pytorch:25.02 bash -c "
torchrun --nnodes=2 --nproc_per_node=4 --node_rank=\${SLURM_NODEID} --master_addr=$HEAD --master_port=17500 train.py
"
