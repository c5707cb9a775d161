deepspeed --exclude=localhost:0,1 train.py
