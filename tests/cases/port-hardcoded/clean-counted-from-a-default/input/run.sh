MASTER_PORT=$((${MASTER_PORT:-29500}))
BASE=${BASE:-29500}
torchrun --nproc_per_node 2 --master_port $((BASE + 1)) a.py
