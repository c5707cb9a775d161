NCCL_SOCKET_IFNAME=eth0 torchrun --nproc_per_node=1 --nnodes=2 --node_rank=0 --master_addr=$HEAD --master_port=23456 toy.py &
NCCL_SOCKET_IFNAME=eth0 torchrun --nproc_per_node=1 --nnodes=2 --node_rank=0 --master_addr=$HEAD --master_port=23457 toy.py &
wait
