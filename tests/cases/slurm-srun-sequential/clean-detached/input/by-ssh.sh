for rank in 0 1; do
  ssh -nf node$rank "NCCL_SOCKET_IFNAME=ens5 torchrun --nnodes=2 --node_rank=$rank --nproc_per_node=8 --master_addr=node0 --master_port=29502 train.py > log.$rank"
done
