if [ "$NNODES" -gt 1 ]; then
  export NCCL_SOCKET_IFNAME=eth0
else
  export NCCL_SOCKET_IFNAME=lo
fi
torchrun --nnodes=${NNODES:-2} --node_rank=$1 --nproc_per_node=8 --master_addr=10.20.0.11 train.py
