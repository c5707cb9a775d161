mpirun --allow-run-as-root -np 4 -H localhost:4 -x NCCL_SOCKET_IFNAME=^docker0 python train.py
