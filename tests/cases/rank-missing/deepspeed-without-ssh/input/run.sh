export NCCL_SOCKET_IFNAME=eth0
deepspeed --hostfile=hostfile --no_ssh --master_addr=10.0.1.13 train.py
