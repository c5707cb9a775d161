#!/bin/bash
case $(hostname) in
  gpu01) RANK=1 ;;
  gpu02) RANK=2 ;;
esac
torchrun --nnodes 2 --nproc_per_node 8 --node_rank $RANK --master_addr gpu01 --master_port 29511 train.py
