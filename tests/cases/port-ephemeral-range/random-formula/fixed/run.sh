torchrun --nproc_per_node 8 --master_port $((RANDOM % 10000 + 20000)) train.py
