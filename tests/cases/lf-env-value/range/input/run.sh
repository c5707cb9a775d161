#!/bin/bash
export NNODES=1:4
FORCE_TORCHRUN=1 MASTER_ADDR=10.0.0.1 MASTER_PORT=${PORT:-29500} llamafactory-cli train /c/lora.yaml
