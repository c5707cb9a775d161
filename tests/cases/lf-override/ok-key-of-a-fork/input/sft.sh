#!/bin/bash
accelerate launch --num_processes 4 src/train.py configs/sft.yaml \
    output_dir=out2 \
    ring_degree=2
