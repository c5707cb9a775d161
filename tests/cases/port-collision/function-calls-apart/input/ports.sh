#!/bin/bash
evaluate() {
  local ckpt=$1 port=$2
  shift 2
  torchrun --nproc_per_node 4 --master_port "$port" eval.py --ckpt "$ckpt" "$@"
}
evaluate out/step-1000 29510 --split dev &
evaluate out/step-2000 29511 --split test &
wait
