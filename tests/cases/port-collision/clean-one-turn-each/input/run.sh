#!/bin/bash
for part in 0 1; do
  if [ "$part" -eq 0 ]; then
    torchrun --nproc_per_node=2 --master_port=29511 even.py &
  else
    torchrun --nproc_per_node=2 --master_port=29512 odd.py &
  fi
done
wait
