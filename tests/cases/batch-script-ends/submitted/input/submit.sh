HEAD=node1
sbatch <<EOF
#!/bin/bash
#SBATCH --nodes=2
srun torchrun --nnodes=2 --rdzv_id=9 --rdzv_backend=c10d --rdzv_endpoint=$HEAD:29400 --nproc_per_node=8 train.py &
EOF
