python -m torch.distributed.launch --nproc_per_node=2 --master_port=${PORT:-21914} main.py \
  --nnodes 2 --gpus 2 --node_rank 0
