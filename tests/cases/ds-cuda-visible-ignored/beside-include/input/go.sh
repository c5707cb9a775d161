CUDA_VISIBLE_DEVICES=1 deepspeed --include localhost:0 train.py
