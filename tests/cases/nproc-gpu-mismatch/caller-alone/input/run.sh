#!/bin/bash
export CUDA_VISIBLE_DEVICES=0,1,2,3
bash scripts/train.sh
