export NCCL_SOCKET_IFNAME=eth0
deepspeed --hostfile=hostfile --master_addr localhost train.py
