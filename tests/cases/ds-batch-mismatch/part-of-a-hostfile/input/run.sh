deepspeed --hostfile hosts.txt --num_gpus 1 --num_nodes 3 train.py --deepspeed_config ds.json
