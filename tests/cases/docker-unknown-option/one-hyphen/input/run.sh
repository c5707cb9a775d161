docker run -it -rm -gpus all -v "$PWD:/work" --ipc=host example.org/trainer torchrun --standalone --nproc_per_node=8 train.py
