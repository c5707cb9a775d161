#!/bin/bash
accelerate launch src/train.py --config_file acc.yaml --stage sft
