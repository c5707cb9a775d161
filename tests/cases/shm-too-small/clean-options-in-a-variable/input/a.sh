docker run --gpus all $OPTIONS "$IMAGE" torchrun --standalone --nproc_per_node=2 train.py
