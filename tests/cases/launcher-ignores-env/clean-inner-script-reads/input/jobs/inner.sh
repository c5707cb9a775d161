#!/bin/bash
torchrun --nproc_per_node=8 --master_port "$MASTER_PORT" train.py
