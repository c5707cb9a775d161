accelerate launch --num_processes --multi_gpu --mixed_precision bf16 train.py
start() {
  torchrun --standalone --nproc_per_node $1 --max_restarts $2 --log_dir logs train.py
}
start 8
