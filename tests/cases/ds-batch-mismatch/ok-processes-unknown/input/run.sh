torchrun --standalone --nproc_per_node=$GPUS train.py --output_dir out --deepspeed ds.json
