export NCCL_SOCKET_IFNAME=^eth0,lo
torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=10.1.0.4 --master_port=29601 train.py
