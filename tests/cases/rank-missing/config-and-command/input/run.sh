export NCCL_SOCKET_IFNAME=eth0
accelerate launch --config_file acc.yaml train.py
