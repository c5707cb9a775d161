deepspeed --num_gpus 2 src/train.py --stage pt --deepspeed ds.json --model_name_or_path q --do_train --dataset wiki --template qwen --finetuning_type lora --output_dir out --fp16
