deepspeed --num_gpus 8 train.py --output_dir out --deepspeed ds.json
