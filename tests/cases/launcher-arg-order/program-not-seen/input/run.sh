#!/bin/bash
deepspeed train.py --num_gpus 4
accelerate launch train.py --config_file model.yaml
torchrun --standalone --nproc_per_node=8 train.py --master_port 5
deepspeed train.py --deepspeed ds.json --master_port 29601
deepspeed train.py --include localhost:0,1
deepspeed train.py --include "*.txt"
deepspeed train.py --num_gpus=4 --master_port=29601
