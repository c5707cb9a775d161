#!/bin/bash
CUDA_VISIBLE_DEVICES=4,5 deepspeed --include localhost:0,1 train.py
