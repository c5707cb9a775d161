docker run --gpus all --ipc host t:1 deepspeed train.py --deepspeed_config conf/ds.json
