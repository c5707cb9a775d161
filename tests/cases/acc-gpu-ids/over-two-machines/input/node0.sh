export NCCL_SOCKET_IFNAME=eth0
accelerate launch --multi_gpu --num_machines 2 --num_processes 8 --gpu_ids 0,1 --machine_rank $RANK --main_process_ip $HEAD --main_process_port $PORT train.py
accelerate launch --multi_gpu --num_machines $N --num_processes 8 --gpu_ids 0,1 --machine_rank $RANK --main_process_ip $HEAD --main_process_port $PORT train.py
