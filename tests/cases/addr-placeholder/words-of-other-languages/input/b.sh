export MASTER_ADDR=主节点IP
torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=$MASTER_ADDR --master_port=29501 train.py
