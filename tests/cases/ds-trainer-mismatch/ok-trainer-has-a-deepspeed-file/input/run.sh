accelerate launch --config_file own.yaml src/train.py sft.yaml
