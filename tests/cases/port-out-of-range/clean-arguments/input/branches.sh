if [ "$NODES" = 2 ]; then
  set -- --nnodes=2 --node_rank=$RANK --master_addr=$HEAD --master_port=66000
fi
set -- --standalone
torchrun --nproc_per_node=4 "$@" train.py
