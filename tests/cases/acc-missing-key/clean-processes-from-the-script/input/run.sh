accelerate launch --config_file acc.yaml --num_processes "$GPUS" train.py
