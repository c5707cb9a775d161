#!/bin/bash
accelerate launch --config_file acc.yaml --use_deepspeed train.py
