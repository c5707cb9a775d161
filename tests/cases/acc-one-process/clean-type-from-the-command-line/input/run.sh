accelerate launch --multi_gpu --config_file acc.yaml train.py
