#!/bin/bash
for rank in 0 1; do
  torchrun --nnodes 2 --node_rank $rank --nproc_per_node 1 --master_addr localhost \
    --master_port 21812 main.py &
done
wait
