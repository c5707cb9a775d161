export GLOO_SOCKET_IFNAME=eth0
torchrun --standalone --nproc_per_node=2 train.py
