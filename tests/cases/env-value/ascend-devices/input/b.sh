ASCEND_RT_VISIBLE_DEVICES=4-7 torchrun --standalone --nproc_per_node=4 train.py
