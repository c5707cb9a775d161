torchrun --standalone --nproc_per_node=8 \ train.py \ --lr 1e-4 \ --epochs 3
