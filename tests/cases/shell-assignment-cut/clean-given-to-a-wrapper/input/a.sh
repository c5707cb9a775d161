# mpirun -x NCCL_SOCKET_IFNAME= eth0 python
mpirun -np 4 -H a:2,b:2 -x NCCL_SOCKET_IFNAME= python train.py
mpirun -np 4 -x NCCL_DEBUG= ./run.sh
torchrun --standalone x.py
echo "say -x NCCL_SOCKET_IFNAME= eth0 "
