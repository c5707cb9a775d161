export ROCR_VISIBLE_DEVICES=2
torchrun --standalone --nproc_per_node=4 train.py
