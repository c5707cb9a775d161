head=$1
ssh $head "NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=$head --master_port=23456 train.py" &
ssh $2 "NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=$head --master_port=23456 train.py" &
wait
