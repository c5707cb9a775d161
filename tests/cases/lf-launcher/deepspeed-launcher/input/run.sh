#!/bin/bash
deepspeed --num_gpus 8 src/train.py lora.yaml
