accelerate launch --config_file acc.yaml sft.py --gradient_accumulation_steps 8 --output_dir out
