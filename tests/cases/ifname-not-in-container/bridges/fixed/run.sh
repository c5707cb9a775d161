docker run --rm --gpus all --ipc=host -e NCCL_SOCKET_IFNAME=eth0 registry.local/train:1 \
  torchrun --standalone --nproc_per_node=8 train.py
