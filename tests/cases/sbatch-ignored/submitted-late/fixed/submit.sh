sbatch <<EOF
#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gres=gpu:4
module load cuda
srun torchrun --nproc_per_node=4 --nnodes=2 --rdzv_backend=c10d --rdzv_id=77 --rdzv_endpoint=node01:29400 train.py
EOF
