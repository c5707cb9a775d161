#!/bin/bash
for lr in 1 2; do
  MASTER_ADDR=127.0.0.1 MASTER_PORT=29511 WORLD_SIZE=1 RANK=0 python train.py --lr $lr &
done
wait
