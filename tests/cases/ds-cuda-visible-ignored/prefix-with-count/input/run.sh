#!/bin/bash
CUDA_VISIBLE_DEVICES=4,5 deepspeed --num_gpus=2 train.py
