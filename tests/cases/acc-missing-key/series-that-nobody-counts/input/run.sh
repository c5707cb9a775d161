accelerate launch --config_file conf/one_zero2.yaml train.py
