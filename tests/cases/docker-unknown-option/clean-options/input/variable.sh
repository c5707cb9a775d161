docker run --rm --gpu$S all --ipc=host example.org/trainer torchrun --standalone --nproc_per_node=8 train.py
