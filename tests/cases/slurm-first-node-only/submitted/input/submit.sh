for lr in 1e-4 3e-4; do
sbatch <<EOF
#!/bin/bash
#SBATCH --nodes=2
torchrun --nnodes=2 --nproc_per_node=4 --rdzv_backend=c10d --rdzv_id=5 --rdzv_endpoint=node01:29400 train.py --lr $lr
EOF
done
