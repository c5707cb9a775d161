docker run --rm --gpus all --ipc=host --network container:vpn -p 6006:6006 t:1 torchrun --standalone --nproc_per_node=2 train.py
