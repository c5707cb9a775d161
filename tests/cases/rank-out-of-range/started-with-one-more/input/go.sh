ssh a "NCCL_SOCKET_IFNAME=eth0 bash node.sh 1" &
ssh b "NCCL_SOCKET_IFNAME=eth0 bash node.sh 2" &
wait
