#!/bin/bash
CONFIG=$1
GPUS=$2
torchrun --standalone --nproc_per_node=$GPUS tools/train.py $CONFIG ${@:3}
