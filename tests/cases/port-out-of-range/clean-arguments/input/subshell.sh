( set -- --master_port 66000; echo "$@" )
torchrun --nproc_per_node=4 "$@" train.py
