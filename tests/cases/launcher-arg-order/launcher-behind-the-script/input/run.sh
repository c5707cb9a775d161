python train.py -m torch.distributed.launch --nproc_per_node 2 --img 640
OMP_NUM_THREADS=4 python -u run.py -m torch.distributed.run \
  --nproc_per_node=2 --standalone \
  --local_rank 0 \
  --model mmt
