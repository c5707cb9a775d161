torchrun --nproc_per_node=$2 --master_port=23456 train.py $1
