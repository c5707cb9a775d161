
#!/bin/bash
#SBATCH --nodes=1
#SBATCH --gres=gpu:2
srun torchrun --standalone --nproc_per_node=2 train.py
