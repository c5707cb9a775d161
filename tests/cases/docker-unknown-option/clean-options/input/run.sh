docker run -itd --rm --net=host --gpus=all --shm-size 16g -e A=1 -u0 -p80:80 --ulimit memlock=-1 example.org/trainer torchrun --standalone --nproc_per_node=8 train.py
