#!/bin/bash
accelerate launch --config_file conf/acc_2gpu.yaml train.py
