#!/bin/bash
set -e
port=$(shuf -i 25000-30000 -n 1)
deepspeed --include localhost:0,1 --master_port $port src/main.py --data_path data/tasks \
  --per_device_train_batch_size 4 --deepspeed_config conf/zero2.json
