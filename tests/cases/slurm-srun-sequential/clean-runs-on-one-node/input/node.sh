torchrun --nnodes=$1 --node_rank=$2 --nproc_per_node=4 --master_addr=$HEAD --master_port=17500 train.py
