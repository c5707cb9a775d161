export NCCL_SOCKET_IFNAME=eno1
deepspeed --hostfile=hostfile --master_addr=10.80.0.5 train.py
