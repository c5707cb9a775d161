deepspeed --include localhost:0,1 --master_port ${MASTER_PORT:-29500} a.py &
deepspeed --include localhost:2,3 --master_port $((${MASTER_PORT:-29500} + 1)) b.py &
wait
