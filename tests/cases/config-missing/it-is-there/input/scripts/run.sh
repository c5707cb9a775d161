#!/bin/bash
accelerate launch --config_file conf/acc.yaml train.py
