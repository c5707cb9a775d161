cd /data/proj && deepspeed train.py --deepspeed_config conf/ds.json
