deepspeed --hostfile hosts --include a:0,1@b:0,1 train.py --deepspeed_config ds.json
