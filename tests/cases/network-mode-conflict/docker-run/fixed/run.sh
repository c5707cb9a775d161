docker run --rm --gpus all --ipc=host --network container:vpn t:1 torchrun --standalone --nproc_per_node=2 train.py
