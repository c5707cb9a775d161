#!/bin/bash
GPUS=8
if [ $# -ge 2 ]; then
  GPUS=$2
fi
case $# in
  3) torchrun --nproc_per_node=$GPUS --master_port=$3 tools/train.py $1 ;;
  *) torchrun --standalone --nproc_per_node=$GPUS tools/train.py $1 ;;
esac
