#!/bin/bash
GPUS=${2:-8}
PORT=${3-29511}
NODES=$4
if [ -z "$NODES" ]; then
  NODES=1
fi
LEFT=$5
[ -n "$LEFT" ] || LEFT=0
torchrun --nnodes=$NODES --nproc_per_node=$GPUS --master_port=$PORT --max_restarts=$LEFT \
  tools/train.py $1
