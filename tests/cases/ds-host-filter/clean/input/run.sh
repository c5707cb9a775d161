export NCCL_SOCKET_IFNAME=eth0
deepspeed --hostfile hosts --master_addr n1 --include "n1@n2:0,3" train.py
deepspeed --include localhost:$GPUS train.py
deepspeed --include worker-1:0,1 train.py
