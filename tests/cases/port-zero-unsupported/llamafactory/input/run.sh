#!/bin/bash
MASTER_PORT=0 FORCE_TORCHRUN=1 llamafactory-cli train /c/lora.yaml
