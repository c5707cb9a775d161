NODES=YOUR_NUM_NODES
GPUS=YOUR_GPUS_PER_NODE
torchrun --nnodes $NODES --nproc_per_node $GPUS --node_rank $RANK \
    --master_addr $MASTER_ADDR --master_port $MASTER_PORT train.py
