PORT=$((20000 + RANDOM % 1000))
for r in 0 1; do
  ssh node$r "torchrun --nnodes=2 --node_rank=$r --nproc_per_node=8 --master_addr=node0 --master_port=$PORT train.py" &
done
wait
