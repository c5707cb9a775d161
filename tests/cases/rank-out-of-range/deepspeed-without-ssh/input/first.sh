export NCCL_SOCKET_IFNAME=eth0
deepspeed --hostfile=hostfile --no_ssh --node_rank=1 --master_addr=10.0.1.13 train.py
