accelerate launch --config_file acc.yaml src/train.py \
  --stage sft --do_train --model_name_or_path m --finetuning_type lora --template qwen \
  --dataset identity --output_dir out --gradient_accumulation_steps 2
