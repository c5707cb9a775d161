#!/bin/bash
llamafactory-cli train --stage sftt --do_train --model_name_or_path qwen/x \
    --dataset identity --template qwen --finetuning_type lora --output_dir saves/x
