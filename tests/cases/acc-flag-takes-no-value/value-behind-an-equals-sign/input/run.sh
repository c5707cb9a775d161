#!/bin/bash
accelerate launch --multi_gpu=true --debug=False --num_processes 4 train.py
