#!/bin/bash
RANK=0 FORCE_TORCHRUN=1 llamafactory-cli train /c/full.yaml
