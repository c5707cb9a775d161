sbatch <<'EOF'
#!/bin/bash
#SBATCH --nodes=2
srun torchrun --nnodes=2 --nproc_per_node=4 --rdzv_backend=c10d --rdzv_id=5 --rdzv_endpoint=node01:29400 train.py
EOF
sbatch --nodes=1 --wrap "torchrun --nproc_per_node=4 --standalone train.py"
sbatch --nodes=2 --wrap "srun torchrun --nnodes=2 --nproc_per_node=4 --rdzv_backend=c10d --rdzv_id=5 --rdzv_endpoint=node01:29400 train.py"
sbatch --nodes=2 node.sh
