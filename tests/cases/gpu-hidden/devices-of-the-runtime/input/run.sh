docker run --rm --ipc=host --runtime=nvidia -e NVIDIA_VISIBLE_DEVICES=4,5 -e CUDA_VISIBLE_DEVICES=4,5 registry.local/train:1 torchrun --standalone --nproc_per_node=2 train.py
