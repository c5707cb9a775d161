#!/bin/bash
cd "$(dirname "$0")/train"
accelerate launch --config_file configs/two.yaml train.py
