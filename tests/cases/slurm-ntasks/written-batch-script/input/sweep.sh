#!/bin/bash
for lr in 1e-5 2e-5; do
  cat > job_$lr.sbatch <<EOF
#!/bin/bash
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=4
srun torchrun --standalone --nproc_per_node 4 train.py --lr $lr
EOF
  sbatch job_$lr.sbatch
done
