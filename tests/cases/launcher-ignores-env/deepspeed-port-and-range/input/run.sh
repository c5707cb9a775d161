#!/bin/bash
export DEEPSPEED_PORT_RANGE=29500-29600
MASTER_PORT=29778 deepspeed --num_gpus 8 train.py
