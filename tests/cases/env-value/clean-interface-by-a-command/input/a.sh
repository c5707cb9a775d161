export NCCL_SOCKET_IFNAME=$(ip -4 route get 10.1.0.4 | awk '{print $3}')
export GLOO_SOCKET_IFNAME=$(ip -o addr | grep $(hostname -I | cut -d' ' -f1) | awk '{print $2}')
torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=10.1.0.4 --master_port=29601 train.py
