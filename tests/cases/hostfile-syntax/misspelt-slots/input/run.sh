deepspeed --hostfile hostfile --master_addr 10.3.0.11 train.py
