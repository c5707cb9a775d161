export NCCL_SOCKET_IFNAME=eth0
ssh -f node1 'NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 --master_addr=node0 --master_port=17500 train.py'
torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=node0 --master_port=17500 train.py
