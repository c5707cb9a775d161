export MASTER_PORT=$((${SLURM_JOB_ID} % 16384 + 10000))
torchrun --nproc_per_node 8 --master_port $MASTER_PORT train.py
