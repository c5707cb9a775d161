accelerate launch --config_file acc.yaml train.py
