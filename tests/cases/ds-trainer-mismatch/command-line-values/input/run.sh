torchrun --standalone --nproc_per_node=4 train.py --output_dir out --gradient_accumulation_steps=4 --bf16 False --deepspeed ds.json
