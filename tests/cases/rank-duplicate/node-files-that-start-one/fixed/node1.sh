export NCCL_SOCKET_IFNAME=eth0
NODE_RANK=1 bash common.sh
