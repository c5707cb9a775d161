#!/bin/bash
deepspeed --num_gpus 8 --num_nodes 1 --master_port 0 train.py
