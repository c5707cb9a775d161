export NCCL_SOCKET_IFNAME=eth0
torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --rdzv_endpoint=node0 train.py
torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=7 --rdzv_endpoint=node0 train.py
torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --rdzv_endpoint=node0:17500 train.py
