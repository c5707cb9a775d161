deepspeed --hostfile hostfile train.py
