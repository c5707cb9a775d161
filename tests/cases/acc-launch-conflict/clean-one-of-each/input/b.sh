#!/bin/bash
accelerate launch --use_fsdp --use_parallelism_config --fsdp_version 2 --num_processes 8 train.py
