#!/bin/bash
#SBATCH --nodes=1
#SBATCH --gres=gpu:4
srun torchrun --standalone --nproc_per_node=${SLURM_GPUS_ON_NODE} train.py
