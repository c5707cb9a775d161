NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=$(date +%Y%m%d_%H%M%S) --rdzv_endpoint=10.0.0.1:29400 train.py
NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=$(date) --rdzv_endpoint=10.0.0.1:29400 train.py
