#!/bin/bash
deepspeed --hostfile hostfile --num_nodes 2 --num_gpus 8 --master_addr 10.1.0.1 train.py
