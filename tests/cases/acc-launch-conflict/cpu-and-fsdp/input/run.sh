#!/bin/bash
accelerate launch --cpu --use_fsdp --num_processes 8 train.py
