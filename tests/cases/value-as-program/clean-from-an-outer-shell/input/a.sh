start() {
  bash -c "torchrun --standalone --nproc_per_node=2 $1"
}
start "train.py -c config.yaml"
