#!/bin/bash
evaluate() { torchrun --nproc_per_node 4 --master_port 29510 eval.py --ckpt "$1"; }
case "$1" in
  old) evaluate out/step-1000 & ;;
  *) evaluate out/step-2000 & ;;
esac
wait
