#!/bin/bash
export CUDA_VISIBLE_DEVICES=0
export FORCE_TORCHRUN=1
llamafactory-cli train sft.yaml
llamafactory-cli train sft.yaml
