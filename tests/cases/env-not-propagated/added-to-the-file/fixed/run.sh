#!/bin/bash
export HF_HOME=/data/hf
export LD_LIBRARY_PATH=/opt/nccl/lib
deepspeed --hostfile=hostfile --master_addr=node-0 train.py
