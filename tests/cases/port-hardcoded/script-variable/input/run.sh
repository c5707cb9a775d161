#!/bin/bash
MASTER_PORT=29511
deepspeed --num_gpus 8 --master_port $MASTER_PORT train.py
