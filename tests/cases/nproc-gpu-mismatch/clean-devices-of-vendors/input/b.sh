export ROCR_VISIBLE_DEVICES=GPU-11,GPU-12
torchrun --standalone --nproc_per_node=4 train.py
