accelerate launch --num_processes 4 --gpu_ids all --multi_gpu train.py
accelerate launch --num_processes 2 --multi_gpu --gpu_ids all train.py
