export NCCL_SOCKET_IFNAME=eth0
MASTER_ADDR=***HIDDEN***
torchrun --nnodes=2 --node_rank=$1 --master_addr=$MASTER_ADDR --master_port=21815 train.py
