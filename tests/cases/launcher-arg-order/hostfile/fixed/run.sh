deepspeed --hostfile=hosts.txt train.py --deepspeed_config ds.json
