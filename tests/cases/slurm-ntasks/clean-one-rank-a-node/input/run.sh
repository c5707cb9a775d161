mpirun -np 2 --map-by ppr:1:node -H a:8,b:8 -x NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes 2 --nproc_per_node 8 --rdzv_backend c10d --rdzv_id 1 --rdzv_endpoint a:29400 train.py
mpirun -np 16 -H a:8,b:8 -x NCCL_SOCKET_IFNAME=eth0 -x MASTER_ADDR=a -x MASTER_PORT=29511 python train.py
mpirun -np $NODES -H a:8,b:8 -x NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes $NODES --nproc_per_node 8 --rdzv_backend c10d --rdzv_id 1 --rdzv_endpoint a:29400 train.py
