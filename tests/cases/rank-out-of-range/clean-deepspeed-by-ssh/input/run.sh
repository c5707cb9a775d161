export NCCL_SOCKET_IFNAME=eth0
deepspeed --hostfile=hostfile --node_rank=2 --master_addr=10.0.1.13 train.py
