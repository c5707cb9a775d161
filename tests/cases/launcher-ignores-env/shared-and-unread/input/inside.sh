#!/bin/bash
if [ "$GPUS" = 1 ]; then
  python single.py
else
  export MASTER_PORT=25001
  torchrun --nproc_per_node 2 several.py
fi
