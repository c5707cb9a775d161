export NCCL_SOCKET_IFNAME=eth0
NODE_RANK=0 bash common.sh
