#!/bin/bash
export FORCE_TORCHRUN=1
export NNODES=1
llamafactory-cli train sft.yaml
