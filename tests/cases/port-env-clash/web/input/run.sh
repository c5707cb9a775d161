deepspeed --num_gpus 8 --master_port ${PORT:-29500} train.py
