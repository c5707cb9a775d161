deepspeed --num_gpus=4 train.py --output_dir out --deepspeed=zero2_confg.json
