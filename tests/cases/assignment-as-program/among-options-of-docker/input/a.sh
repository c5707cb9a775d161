docker run --gpus all --ipc=host -e NCCL_DEBUG=WARN NCCL_SOCKET_IFNAME=eth0 MASTER_PORT=29601 -v $PWD:/w train:1 torchrun --standalone --nproc_per_node=2 train.py
