#!/bin/bash
FORCE_TORCHRUN=1 llamafactory-cli train --stage sft --do_train --model_name_or_path qwen/x \
    --dataset identity --template qwen --output_dir saves/x \
    --finetuning_type lora --deepspeed ds.json \
    --per_device_train_batch_size 2
