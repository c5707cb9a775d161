docker run --rm --gpus all --ipc=host --network host --env-file n.env t:1 torchrun --nnodes=2 --node_rank=1 --nproc_per_node=4 train.py
