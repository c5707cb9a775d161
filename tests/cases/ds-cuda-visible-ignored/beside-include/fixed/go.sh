deepspeed --include localhost:1 train.py
