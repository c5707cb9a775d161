ASCEND_RT_VISIBLE_DEVICES=$NPUS torchrun --standalone --nproc_per_node=4 train.py
