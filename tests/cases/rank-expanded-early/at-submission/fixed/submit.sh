sbatch <<EOF
#!/bin/bash
#SBATCH --nodes=2
srun bash -c 'torchrun --nnodes=2 --node_rank=\${SLURM_NODEID} --nproc_per_node=4 --master_addr=node01 --master_port=29511 train.py'
EOF
