#!/bin/bash
export WANDB_API_KEY=$(cat ~/.wandb)
export MASTER_TOKEN=none
torchrun --standalone --nproc_per_node=2 train.py --max_new_tokens 2048 --pad_token_id 151643
