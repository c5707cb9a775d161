docker run --rm --gpus all --ipc=host --entrypoint torchrun example.org/trainer --standalone --nproc_per_node=8 train.py --gpu 0 --shm_size 3 -gpus 1
