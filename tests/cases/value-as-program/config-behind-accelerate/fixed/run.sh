accelerate launch --config_file conf/acc.yaml --num_processes 2 train.py --lr 1e-4
