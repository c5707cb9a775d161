torchrun --nnodes=2 --node_rank=$SLURM_NODEID --nproc_per_node=8 --master_addr=$MASTER_ADDR --master_port=23456 train.py
