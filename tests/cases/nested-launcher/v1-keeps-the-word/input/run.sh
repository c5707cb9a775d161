#!/bin/bash
export USE_V1=1
torchrun --standalone --nproc_per_node=4 -m llamafactory.cli sft /c/full.yaml
torchrun --standalone --nproc_per_node=4 -m llamafactory.cli train /c/full.yaml
