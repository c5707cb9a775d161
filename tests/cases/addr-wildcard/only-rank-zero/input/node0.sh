torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=0.0.0.0 --master_port=29500 train.py
