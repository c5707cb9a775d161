#!/bin/bash
deepspeed --num_gpus 8 --no_local_rank src/train.py lora.yaml
