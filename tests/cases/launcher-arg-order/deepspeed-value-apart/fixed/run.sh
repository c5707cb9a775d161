#!/bin/bash
deepspeed --num_gpus 4 --master_port 29600 train.py --lr 1e-4
