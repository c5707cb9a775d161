podman pod create --name job --shm-size 16g
podman run -d --pod job --device nvidia.com/gpu=all t:1 torchrun --standalone --nproc_per_node=4 train.py
