#!/usr/bin/env bash
exec torchrun --nproc_per_node="${GPUS:-4}" --rdzv_backend c10d --rdzv_endpoint="localhost:0" \
  train.py "$@"
