export ACCELERATE_MIXED_PRECISION=BF16
accelerate launch --num_processes 2 --multi_gpu train.py
