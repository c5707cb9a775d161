deepspeed --num_gpus 4 src/train.py --deepspeed conf/zero3.json
