mpirun -np 16 -H a:8,b:8 -x NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes 2 --nproc_per_node 8 --rdzv_backend c10d --rdzv_id 1 --rdzv_endpoint a:29400 train.py
