export HIP_VISIBLE_DEVICES=2,3
torchrun --standalone --nproc_per_node=4 train.py
