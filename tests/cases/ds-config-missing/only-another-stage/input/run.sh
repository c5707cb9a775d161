deepspeed --num_gpus=4 train.py --output_dir out --deepspeed ds_zero2.json
