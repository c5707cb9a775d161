PORT=${PORT:-23456}
torchrun --nproc_per_node=$2 --master_port=$PORT train.py $1
