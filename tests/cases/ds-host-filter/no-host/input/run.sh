deepspeed --exclude=0,1 train.py
