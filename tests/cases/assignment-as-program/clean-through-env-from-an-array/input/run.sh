ENVS=(NCCL_IB_HCA=mlx5 OMP_NUM_THREADS=4)
env "${ENVS[@]}" torchrun --standalone --nproc_per_node=2 train.py
torchrun --standalone --nproc_per_node=2 main.py LR=1e-4 data.py
torchrun --standalone --nproc_per_node=2 "$SCRIPT" LR=1e-4
TOOLS=([0]=env NCCL_DEBUG=WARN)
"${TOOLS[@]}" torchrun --standalone --nproc_per_node=2 train.py
