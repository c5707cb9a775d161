set -a; source "node$1.env"; set +a
torchrun --nnodes=2 --nproc_per_node=8 --node_rank=$NODE_RANK --master_addr=$MASTER_ADDR --master_port=29500 train.py
