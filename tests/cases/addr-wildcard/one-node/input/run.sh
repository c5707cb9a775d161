torchrun --nnodes=1 --nproc_per_node=8 --master_addr=0.0.0.0 --master_port=29500 train.py
