docker run --rm --gpus all --ipc=host --some-option 3 example.org/trainer torchrun --standalone --nproc_per_node=8 train.py
