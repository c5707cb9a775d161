#!/bin/bash
#SBATCH --nodes=1
#SBATCH --gpus-per-node=4
srun torchrun --standalone --nproc_per_node=$SLURM_GPUS_PER_NODE train.py
