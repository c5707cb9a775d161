#!/bin/bash
export NCCL_IB_HCA=mlx5_0
<<<<<<< HEAD
torchrun --standalone --nproc_per_node=8 --master_port=29500 train.py
=======
torchrun --standalone --nproc_per_node=8 --master_port=29500 -m llamafactory.cli train a.yaml
>>>>>>> main
