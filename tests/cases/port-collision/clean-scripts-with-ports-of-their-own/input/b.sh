torchrun --nproc_per_node=2 --master_port=29512 train.py
