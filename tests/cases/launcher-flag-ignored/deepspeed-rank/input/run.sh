#!/bin/bash
deepspeed --num_gpus 8 --node_rank 0 train.py
