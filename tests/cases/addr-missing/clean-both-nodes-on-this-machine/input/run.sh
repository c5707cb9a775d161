#!/bin/bash
torchrun --nnodes 2 --node-rank 0 --nproc-per-node 1 main.py &
torchrun --nnodes 2 --node-rank 1 --nproc-per-node 1 main.py &
wait
