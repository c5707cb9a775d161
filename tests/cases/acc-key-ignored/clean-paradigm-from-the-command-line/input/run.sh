accelerate launch --use_fsdp --config_file acc.yaml train.py
