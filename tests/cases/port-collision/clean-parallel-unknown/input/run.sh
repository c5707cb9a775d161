seq 4 | parallel -j "$JOBS" torchrun --nproc_per_node=1 --master_port=29555 train.py --fold {}
