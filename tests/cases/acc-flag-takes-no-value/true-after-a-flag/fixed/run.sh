#!/bin/bash
accelerate launch --same_network --num_machines 1 --num_processes 4 train.py --lr 1e-4
