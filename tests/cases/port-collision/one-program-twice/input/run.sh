#!/bin/bash
export MASTER_ADDR=localhost MASTER_PORT=29511
python train.py --lr 1 &
python train.py --lr 2 &
wait
