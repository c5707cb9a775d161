#!/bin/bash
deepspeed --num_gpus 8 python -u train.py
