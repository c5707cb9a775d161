#!/bin/bash
deepspeed --include localhost:2,3 --num_gpus 2 train.py
