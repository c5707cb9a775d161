#!/bin/bash
run() {
  torchrun --standalone --nproc_per_node=$2 train.py --task $1
}
run mnli
