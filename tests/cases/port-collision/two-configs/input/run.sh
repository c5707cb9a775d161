#!/bin/bash
accelerate launch --config_file left.yaml train.py &
accelerate launch --config_file right.yaml train.py &
wait
