accelerate launch --num_machines $NNODES --num_processes 16 --machine_rank $RANK --main_process_ip 10.0.0.1 --main_process_port 0 train.py
