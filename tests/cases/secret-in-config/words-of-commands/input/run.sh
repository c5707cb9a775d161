#!/bin/bash
wandb login 5d4c3b2a19087f6e5d4c3b2a19087f6e5d4c3b2a
git clone https://robot:ghp_0123456789abcdefghijABCDEFGHIJ012345@github.com/acme/trainer.git
ARGS=(--report_to wandb --hub_token "hf_QxyzAbcDefGhiJklMnoPqrStuVwxYzAbcD")
accelerate launch --num_processes 2 train.py --wandb_api_key=5d4c3b2a19087f6e5d4c3b2a19087f6e5d4c3b2a "${ARGS[@]}"
