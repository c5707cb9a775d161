#!/bin/bash
accelerate launch --multi_gpu \
    --num_processes 1 \
    --module --no_python trainer
