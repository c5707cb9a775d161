sbatch <<'EOF'
#!/bin/bash
#SBATCH --nodes=2
HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun torchrun --nnodes=2 --node_rank=$SLURM_NODEID --nproc_per_node=4 --master_addr=$HEAD --master_port=29511 train.py
EOF
