NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=10.11.0.2 --master_port=29711 train.py
