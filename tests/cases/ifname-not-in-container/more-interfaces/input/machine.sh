export NCCL_SOCKET_IFNAME=ens4
torchrun --standalone --nproc_per_node=8 train.py
