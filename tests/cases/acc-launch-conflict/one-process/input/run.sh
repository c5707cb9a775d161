accelerate launch --multi_gpu --num_processes 1 train.py
