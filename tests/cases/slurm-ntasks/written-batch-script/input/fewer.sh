#!/bin/bash
cat > job.sbatch <<'EOF'
#!/bin/bash
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=4
srun torchrun --standalone --nproc_per_node 4 train.py
EOF
sbatch --ntasks-per-node=1 job.sbatch
