ssh a "NCCL_SOCKET_IFNAME=eth0 bash node.sh 0" &
ssh b "NCCL_SOCKET_IFNAME=eth0 bash node.sh 1" &
wait
