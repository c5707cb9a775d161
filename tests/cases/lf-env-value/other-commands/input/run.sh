#!/bin/bash
FORCE_TORCHRUN=yes llamafactory-cli export /c/merge.yaml
USE_V1=1 FORCE_TORCHRUN=yes llamafactory-cli sft /c/lora.yaml
