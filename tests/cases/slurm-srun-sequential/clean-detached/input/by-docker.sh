for rank in 0 1; do
  ssh node$rank docker run -d --network host --gpus all --shm-size 8g -e NCCL_SOCKET_IFNAME=ens5 train:1 torchrun --nnodes=2 --node_rank=$rank --nproc_per_node=8 --master_addr=node0 --master_port=29500 train.py
done
