#!/bin/bash
FORCE_TORCHRUN=yes llamafactory-cli train /c/lora.yaml
