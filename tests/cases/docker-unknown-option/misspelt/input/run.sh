sudo docker run --rm --gpu all --netwrok host --ipc=host example.org/trainer torchrun --standalone --nproc_per_node=8 train.py
