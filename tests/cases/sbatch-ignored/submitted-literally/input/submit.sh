NODES=$1
cat > job.sbatch <<'EOF'
#!/bin/bash
#SBATCH --nodes=$NODES
srun torchrun --nproc_per_node=4 --standalone train.py
EOF
sbatch job.sbatch
