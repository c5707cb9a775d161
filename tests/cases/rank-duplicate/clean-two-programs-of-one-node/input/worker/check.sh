export NCCL_SOCKET_IFNAME=eth0
torchrun --nnodes=2 --node_rank=1 --nproc_per_node=2 --master_addr=192.168.7.6 --master_port=21811 ../check.py
