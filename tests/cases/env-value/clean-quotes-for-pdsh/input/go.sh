deepspeed --hostfile hostfile --master_addr 10.0.0.4 train.py --deepspeed
