accelerate launch --config_file acc.yaml --main_process_port $PORT train.py
