NODES=$1
sbatch <<EOF
#!/bin/bash
#SBATCH --nodes=$NODES
#SBATCH --job-name=run-$NODES
srun torchrun --nproc_per_node=4 --standalone train.py
EOF
