#!/bin/bash
export CUDA_VISIBLE_DEVICES=0
llamafactory-cli train sft.yaml
llamafactory-cli train sft.yaml
