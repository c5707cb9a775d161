#!/bin/bash
export FORCE_TORCHRUN=1
torchrun --standalone --nproc_per_node=4 -m llamafactory.launcher /c/full.yaml
torchrun --standalone --nproc_per_node=4 -m llamafactory.launcher /c/full.yaml
