#!/bin/bash
deepspeed --master_port 29778 --num_gpus 8 train.py
