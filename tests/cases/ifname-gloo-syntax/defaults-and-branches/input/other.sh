export GLOO_SOCKET_IFNAME=${IF:-^lo,docker0}
torchrun --standalone --nproc_per_node=4 train.py
