NCCL_SOCKET_IFNAME=eth0 torchrun --nproc_per_node=1 --nnodes=2 --node_rank=0 --master_addr=127.0.0.1 --master_port=23456 toy.py &
NCCL_SOCKET_IFNAME=eth0 torchrun --nproc_per_node=1 --nnodes=2 --node_rank=1 --master_addr=127.0.0.1 --master_port=23456 toy.py &
wait
