export NCCL_SOCKET_IFNAME=eth0
ssh gpu-a "cd /srv && NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --node_rank=0 --nproc_per_node=4 --master_addr=10.30.0.5 --master_port=29500 train.py" &
ssh gpu-b "cd /srv && NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --node_rank=1 --nproc_per_node=4 --master_addr=10.30.0.5 --master_port=29500 train.py" &
wait
