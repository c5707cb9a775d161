podman run --rm --ipc=host --device nvidia.com/gpu=all --env-file pod.env t:1 torchrun --standalone --nproc_per_node=2 train.py
