docker run --rm --gpus all --ipc=host --env-file job.env t:1 torchrun --standalone --nproc_per_node=2 train.py
