accelerate launch --num_processes 4 --gpu_ids 0,1 --multi_gpu train.py
accelerate launch --num_processes 2 --multi_gpu --gpu_ids 3 train.py
