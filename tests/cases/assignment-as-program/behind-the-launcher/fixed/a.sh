export NCCL_IB_HCA=mlx5
torchrun --standalone --nproc_per_node 2 train.py
