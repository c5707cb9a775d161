torchrun --standalone --nproc_per_node=4 train.py --output_dir out --per_device_train_batch_size 2 --deepspeed ds.json
