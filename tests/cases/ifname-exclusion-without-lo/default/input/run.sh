export NCCL_SOCKET_IFNAME=${NCCL_SOCKET_IFNAME:-^docker0}
torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=10.20.0.11 train.py
