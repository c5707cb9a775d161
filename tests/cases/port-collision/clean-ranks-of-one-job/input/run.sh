#!/bin/bash
hosts=(trainer-a trainer-b)
rank=0
for h in "${hosts[@]}"; do
  on_host "$h" torchrun --nnodes="${#hosts[@]}" --node_rank="$rank" --nproc_per_node=4 \
    --master_addr="${hosts[0]}" --master_port=29511 train.py &
  rank=$((rank + 1))
done
wait
