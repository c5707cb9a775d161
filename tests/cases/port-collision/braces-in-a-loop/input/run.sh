#!/bin/bash
for seed in {1..3}; do
  torchrun --nproc_per_node=2 --master_port=21915 train.py --seed $seed &
done
wait
