docker run --rm --gpus all --ipc=host --network host --env-file n.env t:1 torchrun --nproc_per_node=4 train.py
