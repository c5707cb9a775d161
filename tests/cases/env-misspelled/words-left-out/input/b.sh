export GLOO_SOCKET=eth0
torchrun --standalone --nproc_per_node=2 train.py
