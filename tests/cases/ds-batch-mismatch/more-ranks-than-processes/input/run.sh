deepspeed --include localhost:2,3 train.py --deepspeed_config ds.json
