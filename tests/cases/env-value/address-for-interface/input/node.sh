export NCCL_SOCKET_IFNAME=10.21.9.4
export GLOO_SOCKET_IFNAME=eno1.100
torchrun --nnodes 2 --nproc_per_node 8 --node_rank $1 --master_addr 10.21.9.4 --master_port 23456 train.py
