podman run --shm-size 8g --device nvidia.com/gpu=all --rm t:1 python -m torch.distributed.run --standalone --nproc_per_node=4 train.py
