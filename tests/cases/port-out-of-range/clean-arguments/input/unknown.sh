set -- "$@" 66000
shift
torchrun --nproc_per_node=4 --master_port $1 train.py
