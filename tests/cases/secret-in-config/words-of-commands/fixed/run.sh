#!/bin/bash
wandb login "${WANDB_API_KEY:?}"
git clone https://robot:${GITHUB_TOKEN:?}@github.com/acme/trainer.git
ARGS=(--report_to wandb --hub_token "${HF_TOKEN:?}")
accelerate launch --num_processes 2 train.py --wandb_api_key="${WANDB_API_KEY:?}" "${ARGS[@]}"
