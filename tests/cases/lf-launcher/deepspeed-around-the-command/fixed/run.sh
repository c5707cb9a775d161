#!/bin/bash
FORCE_TORCHRUN=1 NPROC_PER_NODE=4 MASTER_PORT=${PORT:-29500} llamafactory-cli train /c/lora.yaml
