torchrun --standalone --nproc_per_node 2 NCCL_IB_HCA=mlx5 train.py
