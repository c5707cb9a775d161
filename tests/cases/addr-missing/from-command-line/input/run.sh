export NCCL_SOCKET_IFNAME=eth0
accelerate launch --config_file acc.yaml --machine_rank $1 --main_process_ip 10.0.0.1 train.py
