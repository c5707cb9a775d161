export NCCL_SOCKET_IFNAME=eth0
torchrun --nnodes=2 --nproc_per_node=4 --rdzv_id=job-$RANDOM --rdzv_backend=c10d --rdzv_endpoint=10.0.0.2:29500 train.py
