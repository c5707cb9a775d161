torchrun --standalone --nproc_per_node=8 --master_port=6006 train.py
