torchrun --nnodes=${NNODES:-2} --node_rank=3 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py
