#!/bin/bash
#SBATCH --nodes=1
#SBATCH --gres=gpu:4
export SLURM_GPUS_PER_NODE=4
srun torchrun --standalone --nproc_per_node=$SLURM_GPUS_PER_NODE train.py
