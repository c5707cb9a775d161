export NCCL_IB_HCA==mlx5_0:1,mlx5_bond_0,rocep1s0f0,^ibp3s0
export NCCL_SOCKET_IFNAME=ib0
torchrun --nnodes 2 --nproc_per_node 8 --node_rank $1 --master_addr 10.21.9.4 --master_port 23456 train.py
