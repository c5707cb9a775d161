docker run --gpus all --ipc=host -e CUDA_VISIBLE_DEVICES= train:1 torchrun --standalone --nproc_per_node=2 train.py
