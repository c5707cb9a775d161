mpirun -np 4 -H a:2,b:2 -x NCCL_DEBUG=WARN \
  -x NCCL_SOCKET_IFNAME= enp5s0 python train.py --master_port 29501
torchrun --standalone x.py
