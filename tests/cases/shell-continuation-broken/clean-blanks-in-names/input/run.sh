#!/bin/bash
# torchrun --nproc_per_node=8 \ train.py \ --lr 1
torchrun --standalone --nproc_per_node=8 train.py # not torchrun \ --lr 1
torchrun --standalone --nproc_per_node=8 \
  train.py --data /data/my\ files --text a\ -b 'a\ --x' "b \ --y" --sep \  --lr 1
echo torchrun \
  is called with \ --lr 1 >> log.txt
