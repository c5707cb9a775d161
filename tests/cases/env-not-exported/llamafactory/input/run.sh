#!/bin/bash
FORCE_TORCHRUN=1
NNODES=1
llamafactory-cli train sft.yaml
