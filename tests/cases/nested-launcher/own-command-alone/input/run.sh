#!/bin/bash
FORCE_TORCHRUN=1 NPROC_PER_NODE=8 llamafactory-cli train /c/full.yaml
