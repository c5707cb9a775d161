#!/bin/bash
cd /opt/LLaMA-Factory
FORCE_TORCHRUN=1 llamafactory-cli train full.yaml
accelerate launch --config_file /etc/acc.yaml train.py
accelerate launch --config_file "$CONF" train.py
