#!/bin/bash
#SBATCH --nodes=2
#SBATCH --exclusive
export NCCL_SOCKET_IFNAME=ib0
hosts=($(scontrol show hostnames "$SLURM_JOB_NODELIST"))
count=${#hosts[@]}
for rank in 0 1; do
    srun -N1 -n1 -w ${hosts[$rank]} bash node.sh $count $rank
done
