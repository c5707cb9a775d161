INTERFACE=$(bash interface_of.sh 2>/dev/null || true)
export NCCL_SOCKET_IFNAME=$INTERFACE
export GLOO_SOCKET_IFNAME=$(ip route get "$(hostname -I | awk '{print $1}')" 2>/dev/null | grep -oP 'dev \K\S+')
torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=10.1.0.4 --master_port=29601 train.py
