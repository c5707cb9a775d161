#!/bin/bash
export MASTER_PORT=${MASTER_PORT:-21598}
accelerate launch --rdzv_conf "rdzv_endpoint=localhost:$MASTER_PORT" \
  --main_process_port $MASTER_PORT train.py
