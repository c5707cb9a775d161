set -- "$@" --master_port 66000
torchrun --nproc_per_node 2 "$@" train.py
