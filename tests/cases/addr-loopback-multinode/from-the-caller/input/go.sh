export MASTER_ADDR=localhost NCCL_SOCKET_IFNAME=eth0
bash run.sh $1
