docker run --rm --ipc=host --privileged --gpus '"device=2,3"' -e CUDA_VISIBLE_DEVICES=2,3 registry.local/train:1 torchrun --standalone --nproc_per_node=2 train.py
