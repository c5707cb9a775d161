docker run --rm --gpus all --ipc=host -e NCCL_SOCKET_IFNAME=ens4 registry.local/train:1 \
  torchrun --standalone --nproc_per_node=8 train.py
