accelerate launch --num_processes 2 conf/acc.yaml train.py --lr 1e-4
