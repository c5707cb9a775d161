deepspeed --hostfile hosts.txt --num_gpus 2 --num_nodes 2 train.py --deepspeed_config ds.json
