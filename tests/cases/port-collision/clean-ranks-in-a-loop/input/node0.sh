#!/bin/bash
for i in $(seq 0 7); do
  MASTER_ADDR=10.0.0.4 MASTER_PORT=29511 WORLD_SIZE=16 RANK=$i LOCAL_RANK=$i python train.py &
done
wait
