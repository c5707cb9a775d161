MASTER_ADDRESS=10.0.0.5
torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=$MASTER_ADDRESS --master_port=29502 train.py
