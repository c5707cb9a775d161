#!/bin/bash
accelerate launch --use_fsdp --fsdp_offload_params true --num_processes 4 train.py
