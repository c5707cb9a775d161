#!/bin/bash
llamafactory-cli train --stage sft --do_train --model_name_or_path qwen/x \
    --dataset identity --template qwen --output_dir saves/x \
    --finetuning_type lora --bf16 True --learning_rate 1e-4 --plot_loss false --report_to none
