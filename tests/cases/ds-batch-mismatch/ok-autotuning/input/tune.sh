deepspeed --autotuning tune --num_gpus 4 train.py --deepspeed_config ds.json
