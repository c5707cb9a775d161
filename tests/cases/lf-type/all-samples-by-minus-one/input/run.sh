llamafactory-cli train --stage sft --do_train true --finetuning_type lora \
  --model_name_or_path Qwen/Qwen2.5-7B --template qwen --dataset identity \
  --max_samples 0 --output_dir saves/qwen
