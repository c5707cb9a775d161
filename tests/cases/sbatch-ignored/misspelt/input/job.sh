#!/bin/bash
#SBATCH --nodes=1
#SBATCh --gres=gpu:2
#SBTACH --time=1:00
##SBATCH --nodes=4
#xSBATCH --nodes=4
#sbatch --nodes=4
# SBATCH --nodes=4
srun torchrun --standalone --nproc_per_node=2 train.py
