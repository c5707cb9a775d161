MASTER=$(hostname)
sbatch <<EOF
#!/bin/bash
#SBATCH --nodes=2
srun torchrun --nnodes=2 --nproc_per_node=4 --rdzv_backend=c10d --rdzv_id=5 --rdzv_endpoint=$(hostname):29511 train.py
EOF
sbatch --nodes=2 --wrap "srun torchrun --nnodes=2 --nproc_per_node=4 --rdzv_backend=c10d --rdzv_id=5 --rdzv_endpoint=$MASTER:29511 train.py"
