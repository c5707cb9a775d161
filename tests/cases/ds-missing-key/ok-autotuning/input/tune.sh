deepspeed --autotuning run --num_gpus 4 run_clm.py --deepspeed ds.json --model_name_or_path gpt2 --do_train --output_dir out
