export ASCEND_RT_VISIBLE_DEVICES=0,2,4,6
torchrun --standalone --nproc_per_node=4 train.py
