deepspeed --num_gpus 4 src/train.py --deepspeed conf/z3.json
