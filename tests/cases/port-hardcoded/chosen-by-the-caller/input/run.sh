torchrun --nproc_per_node=2 --master_port=${PORT:-29500} train.py $1
