export NCCL_SOCKET_IFNAME=lo
torchrun --nnodes=2 --node_rank=0 --nproc_per_node=1 --master_addr=127.0.0.1 --master_port=1234 train.py &
torchrun --nnodes=2 --node_rank=1 --nproc_per_node=1 --master_addr=127.0.0.1 --master_port=1234 train.py &
wait
