#!/bin/bash
#SBATCH --nodes=1
#SBATCH --gpus-per-node=a100:4
srun torchrun --standalone --nproc_per_node=${SLURM_GPUS_ON_NODE} train.py
