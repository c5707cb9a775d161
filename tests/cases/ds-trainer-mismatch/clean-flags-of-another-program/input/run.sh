deepspeed --num_gpus 2 train.py --deepspeed ds.json --model_name_or_path q --output_dir out --fp16
