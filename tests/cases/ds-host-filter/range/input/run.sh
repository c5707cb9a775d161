deepspeed --include localhost:0-1,4 train.py
