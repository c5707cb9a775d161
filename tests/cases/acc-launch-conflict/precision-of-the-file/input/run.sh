accelerate launch --use_deepspeed --deepspeed_config_file ds.json --mixed_precision bf16 --num_processes 8 train.py
