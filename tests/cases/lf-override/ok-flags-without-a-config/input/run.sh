#!/bin/bash
llamafactory-cli train --stage sft --lora_rnk 8 --model_name_or_path x
