#!/bin/bash
export FORCE_TORCHRUN=1
NNODES=2
export NODE_RANK=1 MASTER_ADDR=10.40.0.8 MASTER_PORT=25002
llamafactory-cli train sft.yaml
