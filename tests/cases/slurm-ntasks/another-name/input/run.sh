export NCCL_SOCKET_IFNAME=ib0
srun -N2 --tasks-per-node 8 torchrun --nnodes=2 --nproc_per_node=8 --rdzv_id=7 --rdzv_backend=c10d --rdzv_endpoint=n1:29400 train.py
