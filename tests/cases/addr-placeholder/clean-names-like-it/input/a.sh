torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=node-example --master_port=29501 train.py
