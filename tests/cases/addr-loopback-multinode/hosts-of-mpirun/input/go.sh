mpirun -np 16 -H gpu-a:8,gpu-b:8 -x MASTER_ADDR=localhost -x MASTER_PORT=23456 -x NCCL_SOCKET_IFNAME=eno1 python train.py
