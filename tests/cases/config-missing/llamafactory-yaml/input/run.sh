#!/bin/bash
FORCE_TORCHRUN=1 llamafactory-cli train full.yaml
deepspeed --hostfile hosts.txt --master_addr 10.0.0.1 train.py
