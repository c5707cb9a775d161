torchrun --nnodes=2 --node_rank=1 --nproc_per_node=4 train.py
