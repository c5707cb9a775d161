set -- --nnodes=2 --node_rank=0 --master_addr=127.0.0.1 --master_port=29500 train.py
torchrun "$@"
