ID=$RANDOM
for h in gpu01 gpu02; do
  ssh $h "torchrun --nnodes=2 --nproc_per_node=8 --rdzv_id=$ID --rdzv_backend=c10d --rdzv_endpoint=gpu01:29401 train.py" &
done
wait
