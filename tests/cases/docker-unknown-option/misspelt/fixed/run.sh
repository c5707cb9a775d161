sudo docker run --rm --gpus all --network host --ipc=host example.org/trainer torchrun --standalone --nproc_per_node=8 train.py
