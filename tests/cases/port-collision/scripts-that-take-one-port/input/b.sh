torchrun --nproc_per_node=2 --master_port=$MASTER_PORT train.py --other
