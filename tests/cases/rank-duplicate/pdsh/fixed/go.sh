pdsh -R ssh -w gpu-[a-b] "NCCL_SOCKET_IFNAME=eno1 torchrun --nnodes=2 --node_rank=%n --nproc_per_node=8 --master_addr=gpu-a --master_port=23456 train.py"
