torchrun --standalone --nproc_per_node 4 tune.py --deepspeed ds.json --bf16 --output_dir out \
    --per_device_train_batch_size 2 --gradient_accumulation_steps 2 --auto_find_batch_size --max_steps 400
