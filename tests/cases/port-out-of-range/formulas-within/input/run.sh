torchrun --nproc_per_node=4 --master_port $((RANDOM % 10000 + 20000)) train.py
torchrun --nproc_per_node=4 --master_port $((RANDOM % 9000 + 1000)) train.py
docker run --rm --gpus all --ipc host registry.local/train:1 torchrun --nproc_per_node=4 --master_port $RANDOM train.py
