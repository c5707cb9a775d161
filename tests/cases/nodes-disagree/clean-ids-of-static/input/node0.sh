export NCCL_SOCKET_IFNAME=eth0
torchrun --nnodes=2 --nproc_per_node=8 --rdzv_id=a --node_rank=0 --master_addr=10.0.0.1 --master_port=29500 train.py
