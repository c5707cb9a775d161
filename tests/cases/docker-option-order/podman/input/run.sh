podman run --rm t:1 --shm-size 8g --device nvidia.com/gpu=all python -m torch.distributed.run --standalone --nproc_per_node=4 train.py
