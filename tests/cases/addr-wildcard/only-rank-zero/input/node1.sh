torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 --master_addr=10.0.0.4 --master_port=29500 train.py
