torchrun --nproc_per_node=4 --master_port $((20000 + RANDOM % 10000)) train.py
