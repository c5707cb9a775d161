torchrun --nproc_per_node=4 --nnodes=2 --node_rank=$NODE_RANK --master_addr=$MASTER_ADDR --master_port=29511 train.py
