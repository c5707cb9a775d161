accelerate launch --num_processes 2 --main_process_port 55001 train.py
