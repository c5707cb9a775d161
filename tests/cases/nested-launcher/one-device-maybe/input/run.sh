#!/bin/bash
torchrun --nproc_per_node=1 -m llamafactory.cli train /c/full.yaml
USE_RAY=1 torchrun --nproc_per_node=2 -m llamafactory.cli train /c/full.yaml
