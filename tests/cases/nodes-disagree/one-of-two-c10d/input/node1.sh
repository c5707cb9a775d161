export NCCL_SOCKET_IFNAME=eth0
torchrun --nnodes=2 --nproc_per_node=8 --node_rank=1 --master_addr=10.0.0.1 --master_port=29500 train.py
