torchrun --standalone train.py nproc_per_node=4 –flag
deepspeed -Hhosts.txt -i gpu-a:0 train.py hostfile=x
torchrun --standalone --no_python nproc_per_node
torchrun --standalone lr=3 train.py
