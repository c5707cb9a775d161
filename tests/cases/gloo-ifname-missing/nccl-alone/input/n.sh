export NCCL_SOCKET_IFNAME=eno1
torchrun --nnodes 2 --node_rank $1 --nproc_per_node 8 --master_addr 10.0.0.5 --master_port 23456 train.py
