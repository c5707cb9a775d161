export NCCL_IB_HCA=ib0,ib1
export NCCL_SOCKET_IFNAME=ib0
torchrun --nnodes 2 --nproc_per_node 8 --node_rank $1 --master_addr 10.21.9.4 --master_port 23456 train.py
