NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=run-$(date +%F) --rdzv_endpoint=10.0.0.1:29400 train.py
NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=$(date "+%Y-%m-%d") --rdzv_endpoint=10.0.0.1:29400 train.py
