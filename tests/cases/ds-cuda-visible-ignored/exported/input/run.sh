#!/bin/bash
export CUDA_VISIBLE_DEVICES=2,3
deepspeed --num_gpus 2 --num_nodes 1 train.py --deepspeed ds.json
