#!/bin/bash
deepspeed train.py --lr 1e-4 --num_gpus 4 --master_port 29600
