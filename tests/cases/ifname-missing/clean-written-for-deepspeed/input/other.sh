export DS_ENV_FILE=cluster.env
deepspeed --hostfile hostfile --master_addr g1 train.py
