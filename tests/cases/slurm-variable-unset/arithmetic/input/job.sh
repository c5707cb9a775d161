#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gpus=8
export NCCL_SOCKET_IFNAME=ib0
NUM=$(($SLURM_NNODES * $SLURM_NTASKS_PER_NODE))
srun --nodes=2 bash -c "accelerate launch --num_machines 2 --num_processes $NUM --machine_rank \$SLURM_NODEID --main_process_ip $HEAD --main_process_port 17500 train.py"
