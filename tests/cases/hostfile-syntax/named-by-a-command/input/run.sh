export NCCL_SOCKET_IFNAME=eth0
deepspeed --hostfile=conf/hosts --master_addr 10.0.0.1 train.py
