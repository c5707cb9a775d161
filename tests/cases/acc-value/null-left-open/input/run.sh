accelerate launch --config_file used.yaml train.py
