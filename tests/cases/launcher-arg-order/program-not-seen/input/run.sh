#!/bin/bash
deepspeed train.py --num_gpus 4
accelerate launch train.py --config_file model.yaml
torchrun --standalone --nproc_per_node=8 train.py --master_port 5
