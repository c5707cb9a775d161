#!/bin/bash
torchrun --standalone --nproc_per_node 4 src/train.py --stage sft --do_train --model_name_or_path qwen/x \
    --dataset identity --template qwen --output_dir saves/x \
    --finetuning_type lora \
    --max_seq_len=2048
