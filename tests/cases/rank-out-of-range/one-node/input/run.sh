torchrun --nnodes=1 --node_rank=1 --nproc_per_node=4 --master_port=23456 train.py
