#!/bin/bash
export MASTER_ADDR=10.0.0.4 MASTER_PORT=29511 WORLD_SIZE=16
for ((i = 0; i < 8; i++)); do
  export RANK=$((8 + i)) LOCAL_RANK=$i
  python train.py &
done
wait
