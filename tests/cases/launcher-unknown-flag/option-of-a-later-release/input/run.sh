torchrun --standalone --local-ranks-filter=0 --nproc-per-node=2 train.py
accelerate launch --multi_gpu --num_processes 2 --main_process_port 0 --ipex train.py
