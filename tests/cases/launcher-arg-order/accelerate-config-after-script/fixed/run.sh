#!/bin/bash
accelerate launch --config_file acc.yaml src/train.py --stage sft
