export NCCL_SOCKET_IFNAME=eth0
torchrun --nnodes=1 --nproc_per_node=4 --rdzv_id=job-$RANDOM --rdzv_backend=c10d --rdzv_endpoint=localhost:0 train.py
