export NCCL_SOCKET_IFNAME=eth0
deepspeed --hostfile=hostfile --master_addr=10.0.1.13 train.py
