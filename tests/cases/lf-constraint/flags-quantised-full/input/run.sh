#!/bin/bash
llamafactory-cli train --stage sft --do_train --model_name_or_path qwen/x \
    --dataset identity --template qwen --output_dir saves/x \
    --finetuning_type full \
    --quantization_bit 4
