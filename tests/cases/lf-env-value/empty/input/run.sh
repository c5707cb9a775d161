#!/bin/bash
export MASTER_PORT=
FORCE_TORCHRUN=1 llamafactory-cli train /c/lora.yaml
