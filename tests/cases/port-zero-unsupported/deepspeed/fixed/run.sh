#!/bin/bash
deepspeed --num_gpus 8 --num_nodes 1 train.py
