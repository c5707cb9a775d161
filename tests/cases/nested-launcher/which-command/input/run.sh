#!/bin/bash
export FORCE_TORCHRUN=1
torchrun --standalone --nproc_per_node=4 --no_python llamafactory-cli train /c/full.yaml
torchrun --standalone --nproc_per_node=4 $(which llamafactory-cli) train /c/full.yaml
