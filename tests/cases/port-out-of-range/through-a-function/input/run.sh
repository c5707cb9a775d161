#!/bin/bash
log_and_run() {
  echo "+ $*"
  "$@"
}
log_and_run torchrun --nproc_per_node 8 --master_port 70000 train.py
log_and_run mkdir -p out
