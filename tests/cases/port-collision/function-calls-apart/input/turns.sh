#!/bin/bash
evaluate() { torchrun --nproc_per_node 4 --master_port "$2" eval.py --ckpt "$1"; }
evaluate out/step-1000 29510
evaluate out/step-2000 29510
