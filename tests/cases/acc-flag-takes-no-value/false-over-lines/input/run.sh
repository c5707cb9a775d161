#!/bin/bash
accelerate launch \
    --num_processes 4 \
    --multi_gpu false \
    train.py
