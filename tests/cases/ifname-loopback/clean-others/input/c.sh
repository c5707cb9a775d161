export HCCL_SOCKET_IFNAME=lo
torchrun --standalone --nproc_per_node=4 train.py
