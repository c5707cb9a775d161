#!/bin/bash
deepspeed --master_port 29600 --num_gpus 4 train.py --lr 1e-4
