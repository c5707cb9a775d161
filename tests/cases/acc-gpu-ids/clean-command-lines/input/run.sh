accelerate launch --num_processes 4 --gpu_ids all --multi_gpu train.py
accelerate launch --num_processes 2 --gpu_ids 2,3 --multi_gpu train.py
accelerate launch --num_processes 4 --num_machines 2 --gpu_ids 0,1 --machine_rank $R --main_process_ip $H train.py
accelerate launch --num_processes 1 --gpu_ids 3 train.py
accelerate launch --num_processes 4 --gpu_ids $IDS train.py
