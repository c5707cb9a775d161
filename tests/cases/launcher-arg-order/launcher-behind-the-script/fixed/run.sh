python -m torch.distributed.launch --nproc_per_node 2 train.py --img 640
OMP_NUM_THREADS=4 python -u -m torch.distributed.run \
  --nproc_per_node=2 --standalone run.py \
  --local_rank 0 \
  --model mmt
