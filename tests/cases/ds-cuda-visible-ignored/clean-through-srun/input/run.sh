#!/bin/bash
export CUDA_VISIBLE_DEVICES=0,1,2
deepspeed --launcher slurm --hostfile hosts train.py
