deepspeed --num_gpus=2 --include localhost:0,1 train.py
