deepspeed --num_gpus 4 train.py --bf16 True --per_device_train_batch_size 2 --output_dir out --deepspeed ds.json
