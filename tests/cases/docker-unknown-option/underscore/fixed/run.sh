docker run --rm --gpus all --shm-size=16g example.org/trainer torchrun --standalone --nproc_per_node=8 train.py
