export NCCL_SOCKET_IFNAME=eth0
MASTER_ADDR="ADDRESS OF THE FIRST NODE"
torchrun --nnodes=2 --node_rank=$1 --master_addr="$MASTER_ADDR" --master_port=21814 train.py
