#!/bin/bash
# fp16 counts instead of what the config says
accelerate launch --config_file acc.yaml src/train.py \
  --stage sft --do_train --model_name_or_path m --finetuning_type lora --template qwen \
  --dataset identity --output_dir out --gradient_accumulation_steps 2 --fp16
# a program that is no trainer
accelerate launch --config_file own.yaml loop.py --gradient_accumulation_steps 2
# the launcher's own option counts
accelerate launch --config_file own.yaml --gradient_accumulation_steps 2 --mixed_precision no \
  src/train.py \
  --stage sft --do_train --model_name_or_path m --finetuning_type lora --template qwen \
  --dataset identity --output_dir out --gradient_accumulation_steps 2
