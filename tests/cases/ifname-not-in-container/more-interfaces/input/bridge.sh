docker run --rm --gpus all --ipc=host -p 29500:29500 -e NCCL_SOCKET_IFNAME=ens4 registry.local/train:1 \
  torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=10.0.0.1 train.py
