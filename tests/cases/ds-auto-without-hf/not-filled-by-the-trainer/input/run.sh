torchrun --standalone --nproc_per_node=4 train.py --output_dir out --deepspeed ds.json
