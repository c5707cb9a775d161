accelerate launch --config_file ./configs/two_nodes.yaml --machine_rank 1 train.py
