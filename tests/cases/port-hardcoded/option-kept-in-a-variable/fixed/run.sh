#!/bin/bash
ds_args="--master_port=${MASTER_PORT:-21500}"
plain=--master_port=${MASTER_PORT:-21501}
deepspeed ${ds_args} train.py
deepspeed $plain --num_gpus 2 train.py
