PORT=29500
for gpu in 0 1 2 3; do
  CUDA_VISIBLE_DEVICES=$gpu torchrun --nproc_per_node 1 --master_port $PORT train.py &
  ((PORT++))
done
wait
