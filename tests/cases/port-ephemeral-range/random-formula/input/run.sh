torchrun --nproc_per_node 8 --master_port $((RANDOM + 32768)) train.py
