docker run --rm --gpus all --ipc=host train:1 env OMP_NUM_THREADS=8 torchrun --standalone --nproc_per_node=2 train.py
