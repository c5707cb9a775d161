MASTER_ADDR=localhost
torchrun --nproc_per_node 8 --nnodes 1 --node_rank 0 --master_addr $MASTER_ADDR --master_port $PORT pretrain.py
