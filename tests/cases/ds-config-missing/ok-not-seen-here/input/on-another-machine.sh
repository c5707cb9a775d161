ssh gpu1 "deepspeed train.py --deepspeed_config conf/ds.json"
