torchrun –nproc_per_node=4 train.py
accelerate launch —-num_processes 4 train.py
