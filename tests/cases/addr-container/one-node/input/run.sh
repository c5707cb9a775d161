torchrun --nnodes=1 --nproc_per_node=8 --master_addr=172.17.0.2 --master_port=29500 train.py
