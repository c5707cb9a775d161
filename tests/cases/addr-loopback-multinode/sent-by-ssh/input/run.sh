export NCCL_SOCKET_IFNAME=eth0
ssh node0 "torchrun --nnodes 2 --nproc_per_node 8 --node_rank 0 --master_addr localhost --master_port 29511 train.py" &
ssh node1 "torchrun --nnodes 2 --nproc_per_node 8 --node_rank 1 --master_addr localhost --master_port 29511 train.py" &
wait
