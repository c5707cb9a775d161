#!/bin/bash
FORCE_TORCHRUN=True llamafactory-cli train /c/lora.yaml
FORCE_TORCHRUN=0 llamafactory-cli train /c/lora.yaml
