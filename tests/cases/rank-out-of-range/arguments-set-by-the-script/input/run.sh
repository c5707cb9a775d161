set -eu -- 2 2 node1
torchrun --nproc_per_node=8 --nnodes=$1 --node_rank=$2 --master_addr=$3 --master_port=29511 train.py
