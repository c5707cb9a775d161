CUDA_VISIBLE_DEVICES=1 deepspeed --include localhost:1 train.py
