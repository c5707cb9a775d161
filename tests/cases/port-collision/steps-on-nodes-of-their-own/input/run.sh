torchrun --nproc_per_node=$2 --master_port=${PORT:-23456} train.py $1
