CUDA_VISIBLE_DEVICES=1,2 torchrun --standalone --nproc_per_node=4 train.py
