#!/bin/bash
FORCE_TORCHRUN=1 llamafactory-cli train lora.yaml
llamafactory-cli export merge.yaml
llamafactory-cli chat infer.yaml
