#!/bin/bash
CUDA_VISIBLE_DEVICES=0,1 llamafactory-cli train lora.yaml
CUDA_VISIBLE_DEVICES=0 FORCE_TORCHRUN=1 llamafactory-cli train lora.yaml
