deepspeed --num_gpus=4 train.py --output_dir out --deepspeed /shared/ds.json
deepspeed --num_gpus=4 train.py --output_dir out --deepspeed $CONFIG
