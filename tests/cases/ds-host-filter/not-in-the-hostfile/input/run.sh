export NCCL_SOCKET_IFNAME=eth0
deepspeed --hostfile hosts --master_addr n1 --include "n1:0,1@n3:0,1" train.py
deepspeed --hostfile hosts --master_addr n1 --include "n1@n2:4" train.py
