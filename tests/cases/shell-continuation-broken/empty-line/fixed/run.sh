#!/bin/bash
python -m torch.distributed.run --standalone --nproc_per_node=2 train.py \
    --epochs 3 \
    --lr 0.1
echo done
