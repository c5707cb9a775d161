torchrun --nnodes=1 --node_rank=0 --nproc_per_node=8 --master_addr=localhost --master_port=29500 train.py
