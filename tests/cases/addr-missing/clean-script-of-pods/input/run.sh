torchrun --nproc_per_node=8 --nnodes=2 train.py
