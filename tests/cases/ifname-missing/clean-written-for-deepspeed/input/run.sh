echo "NCCL_SOCKET_IFNAME=eth1" > ~/.deepspeed_env
deepspeed --hostfile hostfile --master_addr g1 train.py
