torchrun --standalone --nproc_per_node=8 run_clm.py --do_train --bf16 --output_dir out --deepspeed ds.json
