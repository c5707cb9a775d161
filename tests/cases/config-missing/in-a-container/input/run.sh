#!/bin/bash
docker run --gpus all --ipc=host img accelerate launch --config_file acc.yaml train.py
