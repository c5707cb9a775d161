#!/bin/bash
deepspeed --include localhost:0,1 train.py --seed 1 &
deepspeed --include localhost:2,3 train.py --seed 2 &
wait
