docker run --rm --gpus all --ipc=host --network host --env-file n.env t:1 torchrun --nnodes=2 --nproc_per_node=4 --rdzv_backend=c10d --rdzv_id=1 train.py
