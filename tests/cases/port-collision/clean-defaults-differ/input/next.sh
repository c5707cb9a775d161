MASTER_PORT=${MASTER_PORT:-29500}
torchrun --nproc_per_node 2 --master_port $MASTER_PORT a.py &
MASTER_PORT=$((MASTER_PORT+1))
torchrun --nproc_per_node 2 --master_port $MASTER_PORT b.py &
wait
