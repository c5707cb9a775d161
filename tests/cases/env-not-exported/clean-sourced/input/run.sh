source env.sh
set -a
source node.env
set +a
torchrun --standalone --nproc_per_node=8 train.py
