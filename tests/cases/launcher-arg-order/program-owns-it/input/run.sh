#!/bin/bash
deepspeed train.py --num_gpus 4
accelerate launch train.py --num_processes 4
