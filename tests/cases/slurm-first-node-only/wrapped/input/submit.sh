sbatch --nodes=2 --gres=gpu:8 --wrap "torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=5 --rdzv_endpoint=gpu01:29400 train.py"
