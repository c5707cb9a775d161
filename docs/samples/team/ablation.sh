#!/bin/bash
# Two halves of one machine.
CUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --nproc_per_node=4 --master_port=21700 train.py --lr 1e-4 &
CUDA_VISIBLE_DEVICES=4,5,6,7 torchrun --nproc_per_node=4 --master_port=21700 train.py --lr 2e-4 &
wait
