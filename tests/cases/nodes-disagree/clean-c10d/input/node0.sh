export NCCL_SOCKET_IFNAME=eth0
torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=7 --rdzv_endpoint=10.0.0.1:29500 train.py
