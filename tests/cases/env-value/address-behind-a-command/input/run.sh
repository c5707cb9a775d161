INTERFACE=$(bash interface_of.sh 2>/dev/null || hostname -I | awk '{print $1}')
export NCCL_SOCKET_IFNAME=$INTERFACE
torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=10.1.0.4 --master_port=29601 train.py
