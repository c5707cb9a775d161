#!/bin/bash
for i in 0 1 2; do
  ssh "gpu$i" "cd work && torchrun --nproc_per_node 8 --master_port 29510 eval.py --shard $i" &
done
wait
