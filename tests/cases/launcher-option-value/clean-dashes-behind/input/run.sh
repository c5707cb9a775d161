deepspeed --hostfile hosts --master_addr 10.0.0.2 --launcher_args "-p 2222 -l trainer" train.py
torchrun --standalone --nproc_per_node "$@"
torchrun --standalone --nproc_per_node 2 --rdzv_conf $CONF --max_restarts $RESTARTS --log_dir logs train.py
