accelerate launch --config_file acc.yaml --num_processes 16 train.py
