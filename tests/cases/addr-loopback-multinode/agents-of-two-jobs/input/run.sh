export NCCL_SOCKET_IFNAME=eth0
torchrun --nnodes=2 --nproc_per_node=1 --rdzv_id=8 --rdzv_backend=c10d --rdzv_endpoint=localhost:29400 train.py &
torchrun --nnodes=2 --nproc_per_node=1 --rdzv_id=7 --rdzv_backend=c10d --rdzv_endpoint=localhost:29400 train.py
