deepspeed --include localhost:0 train.py
