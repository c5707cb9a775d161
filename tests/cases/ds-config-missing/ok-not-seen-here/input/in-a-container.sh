docker exec box deepspeed train.py --deepspeed_config conf/ds.json
