#!/bin/bash
sed 's/@N@/8/' acc.tmpl > acc.yaml
accelerate launch --config_file acc.yaml train.py
