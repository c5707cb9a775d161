torchrun --nproc_per_node=4 --master_port $RANDOM train.py
