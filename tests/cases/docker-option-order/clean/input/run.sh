docker run --rm --gpus all --ipc=host myimage:1 --nproc_per_node=4 train.py
docker run --rm --gpus all --ipc=host myimage:1 torchrun --standalone --nproc_per_node=4 train.py --gpus all
docker run --rm --gpus all --ipc=host myimage:1 -e production torchrun --standalone --nproc_per_node=4 train.py
docker run --rm --gpus all --ipc=host $IMAGE torchrun --standalone --nproc_per_node=4 train.py
