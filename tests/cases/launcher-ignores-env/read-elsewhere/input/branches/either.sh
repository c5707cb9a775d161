#!/bin/bash
export MASTER_PORT=25400
if [ "$GPUS" = 1 ]; then
  python single.py
else
  torchrun --nproc_per_node 2 several.py
fi
