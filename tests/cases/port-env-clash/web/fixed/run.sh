deepspeed --num_gpus 8 --master_port ${MASTER_PORT:-29500} train.py
