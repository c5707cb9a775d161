#!/bin/bash
#SBATCH --nodes=1
# sbatch --gpus-per-node=4 told.sh
srun torchrun --standalone --nproc_per_node=$SLURM_GPUS_PER_NODE train.py
